// `fib N`: two threads add up two variables N times each (SV-COMP). Traces for N = 3..6: 141, 1107, 8953, 73789.
#include "side_by_side.hpp"

static std::atomic<int> i{1}, j{1};
static int rounds;

static void add(std::atomic<int>& to, std::atomic<int>& from) {
  for (int k = 0; k < rounds; ++k) {
    const int a = to.load();
    const int b = from.load();
    to.store(a + b);
  }
}

int main(int argc, char** argv) {
  rounds = argument(argc, argv, 1, 4);
  side_by_side(2, [](int thread) -> Body {
    if (thread == 0) return [](int) { add(i, j); };
    return [](int) { add(j, i); };
  });
  int before = 1, most = 1;
  for (int k = 2; k < 2 * rounds + 2; ++k) {
    const int sum = before + most;
    before = most;
    most = sum;
  }
  assert(i.load() <= most && j.load() <= most);
}
