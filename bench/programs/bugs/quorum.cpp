// Three replicas, two writers and a reader that each ask two: the read quorum is put together from two moments.
#include "harness.hpp"
int main() {
  std::atomic<int> replica[3] = {};
  auto write = [&](int v, int a, int b) {
    replica[a] = v;
    replica[b] = v;
  };
  together([&] { write(1, 0, 1); }, [&] { write(2, 1, 2); },
           [&] {
             const int x = replica[0], y = replica[2];
             const int p = replica[1], q = replica[0];
             assert(!(y == 2 && x == 0 && p == 1 && q == 1));
           });
}
