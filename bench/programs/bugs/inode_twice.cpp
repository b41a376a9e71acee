// Kernel: an inode is looked for in the hash under its lock, allocated without it, and inserted without looking again.
#include "harness.hpp"
int main() {
  std::mutex hash;
  std::atomic<int> found = 0, in_hash = 0, in_use = 0;
  auto get = [&] {
    {
      std::lock_guard guard(hash);
      if (in_hash > 0) {
        ++found;
        return;
      }
    }
    ++in_use;  // allocates
    std::lock_guard guard(hash);
    ++in_hash;
    assert(in_hash == 1 || found > 0);
  };
  together(get, get, get);
}
