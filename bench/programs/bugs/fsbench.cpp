// Inodes take blocks from a shared bitmap (after Flanagan & Godefroid's filesystem): the bit is tested before the lock.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int threads = number(argc, argv, 4);
  constexpr int kInodes = 4, kBlocks = 3;
  std::mutex inode_lock[kInodes], block_lock[kBlocks];
  std::atomic<int> inode[kInodes] = {}, busy[kBlocks] = {}, owners[kBlocks] = {};
  together_n(threads, [&](int t) {
    const int i = t % kInodes;
    std::scoped_lock guard(inode_lock[i]);
    if (inode[i] != 0) return;
    for (int tries = 0, b = (i * 2) % kBlocks; tries < kBlocks; ++tries, b = (b + 1) % kBlocks) {
      if (busy[b]) continue;
      std::scoped_lock block(block_lock[b]);
      busy[b] = 1;
      assert(++owners[b] == 1);
      inode[i] = b + 1;
      return;
    }
  });
}
