// Producer and consumer over one condition variable each; the consumer's notification comes before its change is
// visible.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable full, empty;
  std::atomic<int> num = 1;
  together(
      [&] {
        std::unique_lock lock(m);
        while (num > 0) empty.wait(lock);
        ++num;
        lock.unlock();
        full.notify_one();
      },
      [&] {
        {
          std::unique_lock lock(m);
          while (num == 0) full.wait(lock);
        }
        empty.notify_one();
        std::scoped_lock lock(m);
        --num;
      });
}
