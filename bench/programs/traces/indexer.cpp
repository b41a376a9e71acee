// `indexer N`: N threads insert four hashes each into a table (Flanagan & Godefroid 2005). Traces: 8^(N-11) from N
// = 11.
#include "side_by_side.hpp"

static constexpr int kSlots = 128;
static std::atomic<int> table[kSlots];

static void insert(int value) {
  int slot = value * 7 % kSlots;
  for (int free = 0; !table[slot].compare_exchange_strong(free, value); free = 0) slot = (slot + 1) % kSlots;
}

int main(int argc, char** argv) {
  all_the_same(argument(argc, argv, 1, 12), [](int thread) {
    for (int message = 1; message <= 4; ++message) insert(message * 11 + thread);
  });
}
