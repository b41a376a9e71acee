// Browser: a decoded image is looked up, then pinned. The cache evicts what is not pinned, and fills the entry with
// another image that is pinned at once: who pins now holds the wrong one.
#include "harness.hpp"
int main() {
  std::atomic<int> image = 1, pins = 0;
  together(
      [&] {
        if (image != 1) return;
        ++pins;
        assert(image == 1);
        --pins;
      },
      [&] {
        if (pins == 0) {
          image = 0;
          image = 2;
          ++pins;
          --pins;
        }
      });
}
