// Failures at the end of executions of 100,000 steps and more: programs CASE.
#include <atomic>
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

std::atomic<int> counter{0};
std::mutex first, second;

void work() {
  for (int i = 0; i < 100'000; ++i) ++counter;
}

// The thread has its lock, and waits, long before the end.
void deadlock() {
  std::atomic<bool> holds{false};
  std::thread waiter([&] {
    std::lock_guard own(first);  // first is taken here
    holds = true;
    std::lock_guard other(second);  // waits here
  });
  std::lock_guard own(second);  // second is taken here
  while (!holds) std::this_thread::yield();
  work();
  std::lock_guard other(first);
  waiter.join();
}

// The value was read long before the end.
void old_value() {
  std::thread writer(work);
  work();
  const int seen = counter;  // read here
  std::this_thread::yield();
  writer.join();
  assert(seen == 7);
}

}  // namespace

int main(int, char** words) {
  if (std::strcmp(words[1], "deadlock") == 0) deadlock();
  if (std::strcmp(words[1], "old_value") == 0) old_value();
}
