// Every thread marks a place of its own, found by a counter that is not locked.
#include "harness.hpp"
int next_ = 0, mark[64];
int main(int argc, char** argv) {
  const int n = number(argc, argv, 6);
  together_n(n, [](int) {
    const int mine = next_;
    ++next_;
    mark[mine] += 1;
  });
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += mark[i] != 0;
  assert(sum == n);
}
