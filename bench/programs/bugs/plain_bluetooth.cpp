// The Bluetooth driver with plain flags. For runs that do not take the race itself for the bug.
#include "harness.hpp"
int pending = 1;
bool stopping = false, stopped = false;
std::mutex m;
void leave() {
  m.lock();
  const bool last = --pending == 0;
  m.unlock();
  if (last) stopped = true;
}
int main() {
  together(
      [] {
        if (stopping) return;
        m.lock();
        ++pending;
        m.unlock();
        assert(!stopped);
        leave();
      },
      [] {
        stopping = true;
        leave();
      });
}
