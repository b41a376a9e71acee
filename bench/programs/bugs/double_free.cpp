// After CVE-2016-9806: two callers find the dump finished and free its buffer.
#include "harness.hpp"
int main() {
  std::mutex lock;
  std::atomic<bool> running = true;
  auto* buffer = new int[4];
  auto dump = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      std::unique_lock g(lock);
      if (!running) return;
      g.unlock();
      buffer[0] += 0;
      g.lock();
      if (i == rounds - 1) {
        g.unlock();
        running = false;
        delete[] buffer;
        return;
      }
    }
  };
  together([&] { dump(3); }, [&] { dump(3); });
}
