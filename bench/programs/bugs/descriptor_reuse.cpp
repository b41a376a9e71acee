// Kernel: a descriptor is looked up, closed and opened again in between, and the operation goes to another file.
#include "harness.hpp"
int main() {
  struct File {
    std::atomic<int> references = 1, owner = 0;
  };
  File files[2];
  files[0].owner = 1, files[1].owner = 2;
  std::atomic<int> slot = 0;  // file of the descriptor; -1: closed
  together(
      [&] {
        const int file = slot;
        if (file < 0) return;
        if (files[file].references.load() == 0) return;
        ++files[file].references;  // should only grow from above zero, in one step
        assert(files[file].references > 1);
        --files[file].references;
      },
      [&] {
        const int file = slot.exchange(-1);
        if (file >= 0) --files[file].references;
      },
      [&] {
        int closed = -1;
        slot.compare_exchange_strong(closed, 1);
      });
}
