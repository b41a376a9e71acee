// Twelve threads draw numbers: wrong if the first one created draws last and the second one first.
#include "harness.hpp"
int main() {
  constexpr int kThreads = 12;
  std::atomic<int> next = 0, number_of[kThreads] = {};
  together_n(kThreads, [&](int me) { number_of[me] = next++; });
  assert(!(number_of[0] == kThreads - 1 && number_of[1] == 0));
}
