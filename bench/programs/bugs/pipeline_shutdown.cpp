// A compressor's queue: the main thread tears the queue down when the producer is done, not when the consumer is.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable filled;
  std::atomic<bool> exists = true;
  int items = 0;
  std::atomic<bool> all_in = false;
  together(
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::scoped_lock guard(m);
          ++items;
          filled.notify_one();
        }
        all_in = true;
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::unique_lock lock(m);
          while (items == 0) filled.wait(lock);
          --items;
          lock.unlock();
          assert(exists);
        }
      },
      [&] {
        while (!all_in) std::this_thread::yield();
        m.lock();
        const bool empty = items == 0;
        m.unlock();
        if (empty) exists = false;
      });
}
