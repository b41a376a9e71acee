// A stack whose size is checked without the lock. For runs that do not take the race itself for the bug.
#include "harness.hpp"
int size = 0;
std::mutex m;
int main() {
  together(
      [] {
        for (int i = 0; i < 2; ++i) {
          std::scoped_lock guard(m);
          ++size;
        }
      },
      [] {
        if (size == 0) return;
        std::scoped_lock guard(m);
        --size;
        assert(size >= 0);
      },
      [] {
        if (size == 0) return;
        if (size == 0) return;
        std::scoped_lock guard(m);
        --size;
        assert(size >= 0);
      });
}
