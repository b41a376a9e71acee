// Two producers and one consumer share a condition variable; one notification may wake the wrong side.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable changed;
  int num = 0;
  auto produce = [&] {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock lock(m);
      while (num > 0) changed.wait(lock);
      ++num;
      changed.notify_one();
    }
  };
  together(produce, produce, [&] {
    for (int i = 0; i < 4; ++i) {
      std::unique_lock lock(m);
      while (num == 0) changed.wait(lock);
      --num;
      changed.notify_one();
    }
  });
}
