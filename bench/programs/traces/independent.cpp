// `independent T K`: T threads, K increments each of a variable of their own. One trace.
#include "side_by_side.hpp"

static std::atomic<int> counters[kMostThreads];
static int rounds;

int main(int argc, char** argv) {
  rounds = argument(argc, argv, 2, 5);
  all_the_same(argument(argc, argv, 1, 4), [](int me) {
    for (int i = 0; i < rounds; ++i) counters[me].fetch_add(1);
  });
}
