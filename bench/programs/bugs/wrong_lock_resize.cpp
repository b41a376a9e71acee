// Lookups lock a stripe, the resize locks all stripes of the new size: the last of the old ones is left out.
#include "harness.hpp"
int main() {
  std::mutex stripes[3];
  std::atomic<int> size = 3, moving = 0, readers = 0;
  together(
      [&] {
        const int n = size - 1;  // shrinks to two
        for (int i = 0; i < n; ++i) stripes[i].lock();
        moving = 1;
        size = n;
        moving = 0;
        for (int i = n; i-- > 0;) stripes[i].unlock();
      },
      [&] {
        for (int key = 1; key <= 2; ++key) {
          std::lock_guard guard(stripes[key % size]);
          ++readers;
          assert(moving == 0);
          --readers;
        }
      });
}
