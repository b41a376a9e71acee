// The bug classes of table 1 of Bindal, Bansal & Lal (ISSTA 2013), rebuilt as C++ programs on plain data; chosen by
// name. None is a copy: each has the mistake, the number of threads and the (c, v, t) that the paper's table gives for
// its class.
#undef NDEBUG  // the assertions are the bugs
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

template <class Body>
void together(int n, Body body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) threads.emplace_back(body, i);
  for (std::thread& t : threads) t.join();
}

// Not to be looked through by the compiler, which would read once where the source reads twice.
[[gnu::noipa]] int look(const int& x) { return x; }
[[gnu::noipa]] void change(int& x, int value) { x = value; }

// Counts the threads at work; a lost update makes it run out of them.
void merge_sort(int threads) {
  static int data[512], scratch[512], available;
  static std::mutex m;
  available = threads;
  for (int i = 0; i < 512; ++i) data[i] = (i * 193) % 512;
  together(threads, [&](int i) {
    const int left = available;  // without the lock
    available = left - 1;
    const int part = 512 / threads, begin = i * part, end = i + 1 == threads ? 512 : begin + part;
    for (int k = begin; k < end; ++k)  // insertion sort of its part
      for (int j = k; j > begin && data[j - 1] > data[j]; --j) std::swap(data[j - 1], data[j]);
    std::lock_guard lock(m);
    std::memcpy(scratch + begin, data + begin, sizeof(int) * static_cast<size_t>(end - begin));
  });
  assert(available == 0);
}

// Appends at the tail that both read before either wrote.
void linked_list() {
  struct Node {
    int value;
    Node* next;
  };
  static Node head{0, nullptr};
  static Node* tail = &head;
  together(2, [](int i) {
    Node* fresh = new Node{i + 1, nullptr};
    Node* last = tail;
    last->next = fresh;
    tail = fresh;
  });
  int count = 0;
  for (Node* n = head.next; n; n = n->next) ++count;
  assert(count == 2);
}

// The last player drops the ball between another's looking at it and using it.
void ping_pong() {
  static int ball = 1;
  together(17, [](int i) {
    if (i == 16)
      change(ball, 0);
    else if (look(ball) != 0)
      assert(look(ball) != 0);
  });
}

// Each call is atomic; two threads find the same free block, and the first frees all blocks again.
void allocation_vector() {
  static std::mutex m;
  static bool used[4];
  const auto find = [] {
    std::lock_guard lock(m);
    for (int b = 0; b < 4; ++b)
      if (!used[b]) return b;
    return -1;
  };
  const auto is_free = [](int b) {
    std::lock_guard lock(m);
    return !used[b];
  };
  const auto mark = [](int b) {
    std::lock_guard lock(m);
    used[b] = true;
  };
  const auto free_all = [] {
    std::lock_guard lock(m);
    for (bool& u : used) u = false;
  };
  together(2, [&](int) {
    const int b = find();
    assert(is_free(b));
    mark(b);
    free_all();
  });
}

void account() {
  static int balance = 100;
  together(2, [](int i) { balance += i == 0 ? 50 : -30; });
  assert(balance == 120);
}

// Sells while it looks whether to stop; who sells last does not look.
void airline_tickets() {
  static std::mutex m;
  static int sold = 0;
  static bool stop = false;
  together(10, [](int i) {
    std::lock_guard lock(m);
    if (i == 9)
      stop = true;
    else if (!stop)
      ++sold;
  });
  assert(sold == 9);
}

void manager() {
  static int free_blocks = 5;
  together(5, [](int) {
    const int n = free_blocks;
    assert(n > 0);
    free_blocks = n - 1;
  });
  assert(free_blocks == 0);
}

// Passengers look whether the plane has come before they go to the gate and wait there: who is called in between has
// left the hall and is not at the gate yet.
void piper() {
  static std::mutex m;
  static std::condition_variable called;
  static int arrived = 0;
  together(8, [](int i) {
    if (i == 7) {
      std::lock_guard lock(m);
      change(arrived, 1);
      called.notify_all();
    } else if (look(arrived) == 0) {
      std::unique_lock lock(m);
      called.wait(lock);
    }
  });
}

// The consumer does not wait for the producers.
void producer_consumer() {
  static std::mutex m;
  static int items = 0;
  together(6, [](int i) {
    std::lock_guard lock(m);
    if (i < 5)
      ++items;
    else
      assert(items == 5);
  });
}

// Passes that have to come in order are not ordered.
void bubble_sort() {
  static std::mutex m;
  static int data[9] = {8, 7, 6, 5, 4, 3, 2, 1, 0};
  together(8, [](int i) {
    std::lock_guard lock(m);
    for (int j = 0; j + 1 < 9 - i; ++j)
      if (data[j] > data[j + 1]) std::swap(data[j], data[j + 1]);
  });
  for (int j = 0; j + 1 < 9; ++j) assert(data[j] <= data[j + 1]);
}

// Size and table are protected, but not together.
void hash_set(int threads) {
  static int size = 0;
  [[maybe_unused]] static bool present[64];
  static std::mutex m;
  together(threads, [](int i) {
    {
      std::lock_guard lock(m);
      present[i % 64] = true;
    }
    if (i % 50 == 0) size = size + 1;
  });
  assert(size == (threads + 49) / 50);
}

void tree_set(int threads) {
  struct Node {
    int key;
    Node *left = nullptr, *right = nullptr;
  };
  static Node root{500, nullptr, nullptr};
  together(threads, [](int i) {
    if (i % 50) return;
    const int key = (i * 37) % 1000;
    for (Node* n = &root;;) {
      Node*& child = key < n->key ? n->left : n->right;
      if (child) {
        n = child;
        continue;
      }
      child = new Node{key, nullptr, nullptr};
      break;
    }
  });
  int count = 0;
  const std::function<void(Node*)> walk = [&](Node* n) {
    if (!n) return;
    ++count;
    walk(n->left);
    walk(n->right);
  };
  walk(&root);
  assert(count == 1 + (threads + 49) / 50);
}

// The owner looks at its region while the client is half-way through handing it over, and again when it is.
void region_ownership() {
  static int owner = 0, state = 0;
  together(2, [](int i) {
    if (i == 0) {
      const int first = look(owner);
      const int second = look(owner);
      const int seen = look(state);
      assert(!(first == 1 && second == 2 && seen == 1));
    } else {
      change(owner, 1);
      change(owner, 2);
      change(state, 1);
      change(state, 0);
      change(owner, 0);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 0;
  if (name == "merge_sort")
    merge_sort(threads ? threads : 100);
  else if (name == "linked_list")
    linked_list();
  else if (name == "ping_pong")
    ping_pong();
  else if (name == "allocation_vector")
    allocation_vector();
  else if (name == "account")
    account();
  else if (name == "airline_tickets")
    airline_tickets();
  else if (name == "manager")
    manager();
  else if (name == "piper")
    piper();
  else if (name == "producer_consumer")
    producer_consumer();
  else if (name == "bubble_sort")
    bubble_sort();
  else if (name == "hash_set")
    hash_set(threads ? threads : 200);
  else if (name == "tree_set")
    tree_set(threads ? threads : 200);
  else if (name == "region_ownership")
    region_ownership();
  else
    return 2;
  return 0;
}
