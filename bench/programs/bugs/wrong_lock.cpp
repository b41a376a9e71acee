// One thread protects the counter with another lock than the rest.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 3);
  std::mutex right, wrong;
  std::atomic<int> count = 0;
  together_n(n, [&](int i) {
    std::scoped_lock guard(i == n - 1 ? wrong : right);
    const int seen = count;
    count = seen + 1;
  });
  assert(count == n);
}
