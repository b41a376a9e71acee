// `mutex T K`: T threads, K critical sections each. Traces: (TK)! / K!^T.
#include "side_by_side.hpp"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, rounds;

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  rounds = argument(argc, argv, 2, 3);
  all_the_same(threads, [](int) {
    for (int i = 0; i < rounds; ++i) {
      pthread_mutex_lock(&lock);
      ++counter;
      pthread_mutex_unlock(&lock);
    }
  });
  assert(counter == threads * rounds);
}
