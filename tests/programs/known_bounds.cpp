// Bugs of everyday code that need a known number of preemptions, variables and threads: on the heap, in arrays and
// members, behind atomics and locks; chosen by name.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

void run(int n, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) threads.emplace_back(body, i);
  for (std::thread& t : threads) t.join();
}

// Not to be looked through by the compiler, which would read once where the source reads twice.
[[gnu::noipa]] int get(const int& x) { return x; }
[[gnu::noipa]] void put(int& x, int value) { x = value; }

// Of eight objects from one loop, the one with this number.
void object_of_a_loop(int number) {
  static int* cells[8];
  for (int*& cell : cells) cell = new int(0);
  run(2, [number](int) {
    const int mine = number;  // nothing but the cells is read from here on
    for (int i = 0; i < 8; ++i) {
      int& cell = *cells[i];
      const int seen = get(cell);
      put(cell, i == mine ? seen + 1 : 0);
    }
  });
  assert(*cells[number] == 2);
}

void member_of_a_shared_object() {
  struct Account {
    long id = 0;
    int balance = 0;
  };
  const auto account = std::make_shared<Account>();
  run(2, [account](int) { put(account->balance, get(account->balance) + 1); });
  assert(account->balance == 2);
}

void element_of_an_array() {
  static int cells[64];
  run(2, [](int i) {
    put(cells[20 + i], 1);
    put(cells[17], get(cells[17]) + 1);
  });
  assert(cells[17] == 2);
}

void decision_on_an_atomic() {
  std::atomic<int> left{1};
  run(2, [&left](int) {
    if (left.load() > 0) left.fetch_sub(1);
  });
  assert(left >= 0);
}

void two_critical_sections() {
  std::mutex m;
  std::map<std::string, int> counts{{"a", 0}, {"b", 0}};
  run(2, [&](int) {
    m.lock();
    const int seen = counts["b"];
    m.unlock();
    const std::lock_guard lock(m);
    counts["b"] = seen + 1;
  });
  assert(counts["b"] == 2);
}

void locks_in_opposite_orders() {
  std::mutex first, second;
  run(2, [&](int i) {
    const std::lock_guard outer(i ? second : first);
    const std::lock_guard inner(i ? first : second);
  });
}

void lost_wakeup() {
  std::mutex m;
  std::condition_variable changed;
  std::atomic<bool> done{false};
  run(2, [&](int i) {
    if (i) {
      done = true;
      changed.notify_one();
    } else if (!done) {
      std::unique_lock lock(m);
      changed.wait(lock);
    }
  });
}

// Two preemptions, at one variable each.
void two_variables() {
  static std::atomic<int> owner{0}, state{0};
  run(2, [](int i) {
    if (i) {
      owner = 1;
      state = 1;
      state = 2;
    } else {
      const int before = owner, after = owner, seen = state;
      assert(!(before == 0 && after == 1 && seen == 1));
    }
  });
}

// Two preemptions at the same variable.
void there_and_back() {
  static std::atomic<int> flag{0};
  run(2, [](int i) {
    if (i) {
      flag = 1;
      flag = 0;
    } else {
      const int before = flag, after = flag;
      assert(before == after || before == 0);
    }
  });
}

void two_others_in_between() {
  static std::atomic<int> count{0};
  run(3, [](int i) {
    if (i) {
      ++count;
    } else {
      const int before = count;
      assert(count - before < 2);
    }
  });
}

// Third, first, second: no preemption, but the order of all three matters.
void chain() {
  static std::atomic<int> state{0};
  run(3, [](int i) {
    int from = (i + 1) % 3;
    state.compare_exchange_strong(from, from + 1);
  });
  assert(state != 3);
}

// One before another, wherever the other four come.
void late_start() {
  static std::atomic<int> ready{0}, others{0};
  run(6, [](int i) {
    if (i == 0)
      ready = 1;
    else if (i == 5)
      assert(ready == 1);
    else
      ++others;
  });
}

void eight_threads() {
  static int count = 0;
  run(8, [](int) { put(count, get(count) + 1); });
  assert(count == 8);
}

void correct() {
  std::mutex m;
  int value = 0;
  run(3, [&](int) {
    const std::lock_guard lock(m);
    ++value;
  });
  assert(value == 3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "first_of_loop")
    object_of_a_loop(0);
  else if (name == "third_of_loop")
    object_of_a_loop(2);
  else if (name == "member")
    member_of_a_shared_object();
  else if (name == "element")
    element_of_an_array();
  else if (name == "atomic")
    decision_on_an_atomic();
  else if (name == "sections")
    two_critical_sections();
  else if (name == "abba")
    locks_in_opposite_orders();
  else if (name == "lost_wakeup")
    lost_wakeup();
  else if (name == "two_variables")
    two_variables();
  else if (name == "there_and_back")
    there_and_back();
  else if (name == "between")
    two_others_in_between();
  else if (name == "chain")
    chain();
  else if (name == "late_start")
    late_start();
  else if (name == "eight_threads")
    eight_threads();
  else if (name == "correct")
    correct();
  else
    return 2;
  return 0;
}
