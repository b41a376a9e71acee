// Programs for tests/target/inspector_test.cpp. A second thread exists, so that operations are steps, and does nothing.
#include <atomic>
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

enum Level { kLow, kHigh };

struct Counted {
  std::atomic<int> references{1};
};

void values() {
  std::atomic<bool> flag{false};
  std::atomic<int> count{4};
  std::atomic<Level> level{kLow};
  std::atomic<float> share{0.5f};
  std::mutex gate;
  gate.lock();
  std::thread other([&] { std::lock_guard wait(gate); });
  flag.load();
  flag.store(true);
  count.fetch_add(1);
  int expected = 5;
  count.compare_exchange_strong(expected, 9);
  count.compare_exchange_strong(expected = 5, 1);
  level.store(kHigh);
  share.store(0.25f);
  auto* counted = new Counted;
  if (counted->references.fetch_sub(1) == 1) delete counted;  // what it wrote is gone at the next step
  gate.unlock();
  other.join();
}

struct Box {
  std::vector<int> items{1, 2};
  int limit = 7;
};

void operands() {
  std::atomic<int> total{0};
  Box box;
  std::thread other([&] { total += 1; });
  total += 2;
  other.join();
  assert(total.load() == 4 && box.items.size() < 2 && box.limit > 10);
}

__attribute__((noinline)) void use_first() {
  std::atomic<int> first{0};
  first.store(1);
}
__attribute__((noinline)) void use_second() {
  std::atomic<int> second{0};
  second.store(2);
}

void reuse() {
  std::mutex gate;
  gate.lock();
  std::thread other([&] { std::lock_guard wait(gate); });
  use_first();
  use_second();
  gate.unlock();
  other.join();
}

}  // namespace

int main(int, char** argv) {
  if (!std::strcmp(argv[1], "values")) values();
  if (!std::strcmp(argv[1], "operands")) operands();
  if (!std::strcmp(argv[1], "reuse")) reuse();
}
