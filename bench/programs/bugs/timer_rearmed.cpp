// Kernel: a driver deletes its timer and frees the device; the handler was running and arms the timer again.
#include "harness.hpp"
int main() {
  std::atomic<bool> armed = true, freed = false, stopping = false;
  std::atomic<int> rounds = 0;
  together(
      [&] {  // the timer
        while (rounds++ < 3) {
          if (!armed.exchange(false)) continue;
          assert(!freed);
          if (!stopping) armed = true;
        }
      },
      [&] {
        stopping = true;
        armed = false;
        if (!armed) freed = true;
      });
}
