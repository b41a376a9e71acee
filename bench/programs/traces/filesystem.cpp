// `filesystem N`: N threads give blocks to files (Flanagan & Godefroid 2005). Traces: 2^(N-13) from N = 13.
#include "side_by_side.hpp"

static constexpr int kBlocks = 26, kFiles = 32;
static pthread_mutex_t file_lock[kFiles], block_lock[kBlocks];
static int block_of_file[kFiles];
static bool busy[kBlocks];

static bool take(int block, int file) {
  pthread_mutex_lock(&block_lock[block]);
  const bool free = !busy[block];
  if (free) {
    busy[block] = true;
    block_of_file[file] = block + 1;
  }
  pthread_mutex_unlock(&block_lock[block]);
  return free;
}

int main(int argc, char** argv) {
  for (pthread_mutex_t& lock : file_lock) pthread_mutex_init(&lock, nullptr);
  for (pthread_mutex_t& lock : block_lock) pthread_mutex_init(&lock, nullptr);
  all_the_same(argument(argc, argv, 1, 14), [](int thread) {
    const int file = thread % kFiles;
    pthread_mutex_lock(&file_lock[file]);
    if (block_of_file[file] == 0) {
      int block = file * 2 % kBlocks;
      while (!take(block, file)) block = (block + 1) % kBlocks;
    }
    pthread_mutex_unlock(&file_lock[file]);
  });
}
