// The Bluetooth driver (Qadeer & Wu 2004): stop may finish while a request is about to enter.
#include "harness.hpp"
int main() {
  std::atomic<int> pending = 1;
  std::atomic<bool> stopping = false, stopped = false;
  std::binary_semaphore done(0);
  auto leave = [&] {
    if (--pending == 0) done.release();
  };
  together(
      [&] {
        if (stopping) return;
        ++pending;
        assert(!stopped);
        leave();
      },
      [&] {
        stopping = true;
        leave();
        done.acquire();
        stopped = true;
      },
      [&] {
        for (int i = 0; i < 4; ++i) (void)stopping.load();
      });
}
