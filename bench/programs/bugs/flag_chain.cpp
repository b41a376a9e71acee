// Each of five threads goes on only if it sees its neighbour between two stores; the last one then fails.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 4);
  std::vector<std::atomic<int>> state(static_cast<size_t>(n) + 1);
  together_n(n, [&](int me) {
    const auto i = static_cast<size_t>(me);
    if (me == 0 || state[i - 1] == 1) {
      state[i] = 1;
      state[i] = 2;
      if (me == n - 1) assert(state[i - 1] != 1);
    }
  });
}
