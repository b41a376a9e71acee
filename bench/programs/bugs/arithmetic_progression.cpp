// Two threads add up 1..n between them; the total is announced when the counter says so, not when the sum is complete.
#include "harness.hpp"
int main() {
  constexpr int kLast = 3;
  std::mutex m;
  std::condition_variable announced;
  std::atomic<int> number = 1, total = 0;
  auto add = [&] {
    for (;;) {
      const int mine = number++;
      if (mine > kLast) break;
      total += mine;
    }
    std::scoped_lock guard(m);
    announced.notify_all();
  };
  together(add, add, [&] {
    std::unique_lock lock(m);
    while (number <= kLast) announced.wait(lock);
    assert(total == kLast * (kLast + 1) / 2);
  });
}
