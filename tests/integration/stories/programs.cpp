// Programs whose objects have names: each case uses its objects in two threads and then fails, so that its story names
// them all. The comment behind a case says which names.
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using Count = std::atomic<int>;

namespace {

// In both threads, so that nothing is a thread's own.
template <class F>
void in_two_threads(F&& body) {
  std::thread other([&] { body(); });
  body();
  other.join();
}

void local() {  // names: hits
  Count hits{0};
  std::thread t([&] { ++hits; });
  ++hits;
  t.join();
  assert(hits == 3);
}

void captured_locals() {  // names: door inside
  std::mutex door;
  Count inside{0};
  in_two_threads([&] {
    std::lock_guard lock(door);
    ++inside;
  });
  assert(inside == 3);
}

void captured_pointer() {  // names: hits
  Count hits{0};
  Count* where = &hits;
  std::thread t([where] { ++*where; });
  ++hits;
  t.join();
  assert(hits == 3);
}

class Pool {
 public:
  void stop() {
    std::lock_guard lock(m_);
    stop_ = true;
  }
  bool stopped() {
    std::lock_guard lock(m_);
    return stop_;
  }

 private:
  std::mutex m_;
  std::atomic<bool> stop_{false};
};

void members() {  // names: pool.m_ pool.stop_
  Pool pool;
  std::thread t([&] { pool.stop(); });
  (void)pool.stopped();
  t.join();
  assert(!pool.stopped());
}

struct Queue {
  Count head_{0}, tail_{0};
  void push() { tail_.store(tail_.load() + 1); }
  int pop() { return head_.fetch_add(1); }
};
struct Server {
  int id = 4;
  Queue queue;
};

void nested_members() {  // names: server.queue.head_ server.queue.tail_
  Server server;
  std::thread t([&] { server.queue.push(); });
  server.queue.pop();
  t.join();
  assert(server.queue.pop() == 7);
}

struct Slot {
  int padding = 0;
  Count turn{0};
};

void array_of_structs() {  // names: slots[0].turn slots[1].turn
  Slot slots[2];
  std::thread t([&] { slots[1].turn = 1; });
  slots[0].turn = slots[1].turn.load();
  t.join();
  assert(slots[0].turn == 7);
}

void standard_array() {  // names: cells[2]
  std::array<Count, 3> cells{};
  std::thread t([&] { cells[2] = 1; });
  cells[2].load();
  t.join();
  assert(cells[2] == 7);
}

void vector_of_atomics() {  // names: counts[1]
  std::vector<Count> counts(3);
  std::thread t([&] { counts[1] = 1; });
  counts[1].load();
  t.join();
  assert(counts[1] == 7);
}

void vector_of_structs() {  // names: slots[0].turn slots[2].turn
  std::vector<Slot> slots(3);
  std::thread t([&] { slots[2].turn = 1; });
  slots[0].turn = slots[2].turn.load();
  t.join();
  assert(slots[0].turn == 7);
}

void deque_of_structs() {  // names: jobs[1].turn
  std::deque<Slot> jobs(3);
  std::thread t([&] { jobs[1].turn = 1; });
  jobs[1].turn.load();
  t.join();
  assert(jobs[1].turn == 7);
}

void ordered_map() {  // names: table[7].turn
  std::map<int, Slot> table;
  table[3], table[7], table[9];
  std::thread t([&] { table.at(7).turn = 1; });
  table.at(7).turn.load();
  t.join();
  assert(table.at(7).turn == 7);
}

void map_of_strings() {  // names: ages["bob"]
  std::map<std::string, Count> ages;
  ages["alice"], ages["bob"];
  std::thread t([&] { ages.at("bob") = 1; });
  ages.at("bob").load();
  t.join();
  assert(ages.at("bob") == 7);
}

void hash_map() {  // names: table[5].turn
  std::unordered_map<int, Slot> table;
  table[5], table[6];
  std::thread t([&] { table.at(5).turn = 1; });
  table.at(5).turn.load();
  t.join();
  assert(table.at(5).turn == 7);
}

struct State {
  std::mutex m;
  std::condition_variable ready;
  std::atomic<bool> done{false};
};

void unique_pointer() {  // names: state->done
  auto state = std::make_unique<State>();
  std::thread t([&] { state->done = true; });
  state->done.load();
  t.join();
  assert(!state->done);
}

void shared_pointer() {  // names: state->done
  auto state = std::make_shared<State>();
  std::thread t([&] { state->done = true; });
  state->done.load();
  t.join();
  assert(!state->done);
}

void condition() {  // names: state->m state->ready state->done
  auto state = std::make_unique<State>();
  std::thread t([&] {
    std::lock_guard lock(state->m);
    state->done = true;
    state->ready.notify_one();
  });
  {
    std::unique_lock lock(state->m);
    state->ready.wait(lock, [&] { return state->done.load(); });
  }
  t.join();
  assert(!state->done);
}

struct Node {
  std::atomic<Node*> next{nullptr};
  Count value{0};
};

void heap_object() {  // names: node->value
  Node* node = new Node;
  std::thread t([=] { node->value = 1; });
  node->value.load();
  t.join();
  assert(node->value == 7);
}

struct List {
  Node* head = new Node;
};

void linked_list() {  // names: list.head->next list.head->value
  List list;
  std::thread t([&] { list.head->next = new Node; });
  list.head->value = 1;
  t.join();
  assert(list.head->next == nullptr);
}

void heap_array() {  // names: slots[2].turn
  Slot* slots = new Slot[4];
  std::thread t([=] { slots[2].turn = 1; });
  slots[2].turn.load();
  t.join();
  assert(slots[2].turn == 7);
}

struct Global {
  Count first{0}, second{0};
} global;

void global_struct() {  // names: global.second
  std::thread t([] { global.second = 1; });
  global.second.load();
  t.join();
  assert(global.second == 7);
}

void reference_worker(Count& shared) { ++shared; }

void reference() {  // names: total
  Count total{0};
  std::thread t(reference_worker, std::ref(total));
  reference_worker(total);
  t.join();
  assert(total == 7);
}

struct Base {
  Count uses_{0};
};
struct Derived : Base {
  Count calls_{0};
  void call() { ++uses_, ++calls_; }
};

void base_class() {  // names: object.uses_ object.calls_
  Derived object;
  std::thread t([&] { object.call(); });
  object.call();
  t.join();
  assert(object.calls_ == 7);
}

struct Box {
  int other = 0, value = 0;
};
void add_one(Box& shared) { shared.value = shared.value + 1; }

void promoted() {  // names: box.value
  Box box;
  std::thread t([&] { add_one(box); });
  add_one(box);
  t.join();
}

constexpr struct {
  const char* name;
  void (*run)();
} kCases[] = {
    {"local", local},
    {"captured_locals", captured_locals},
    {"captured_pointer", captured_pointer},
    {"members", members},
    {"nested_members", nested_members},
    {"array_of_structs", array_of_structs},
    {"standard_array", standard_array},
    {"vector_of_atomics", vector_of_atomics},
    {"vector_of_structs", vector_of_structs},
    {"deque_of_structs", deque_of_structs},
    {"ordered_map", ordered_map},
    {"map_of_strings", map_of_strings},
    {"hash_map", hash_map},
    {"unique_pointer", unique_pointer},
    {"shared_pointer", shared_pointer},
    {"condition", condition},
    {"heap_object", heap_object},
    {"linked_list", linked_list},
    {"heap_array", heap_array},
    {"global_struct", global_struct},
    {"reference", reference},
    {"base_class", base_class},
    {"promoted", promoted},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& one : kCases)
    if (argc > 1 && std::string(argv[1]) == one.name) one.run();
}
