// `counter T K`: T threads, K increments each of one variable. Traces: (TK)! / K!^T.
#include "side_by_side.hpp"

static std::atomic<int> counter;
static int rounds;

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  rounds = argument(argc, argv, 2, 4);
  all_the_same(threads, [](int) {
    for (int i = 0; i < rounds; ++i) counter.fetch_add(1);
  });
  assert(counter == threads * rounds);
}
