// Everybody takes the left fork first.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 4);
  std::vector<std::mutex> fork(static_cast<size_t>(n));
  together_n(n, [&](int i) {
    std::scoped_lock left(fork[static_cast<size_t>(i)]);
    std::scoped_lock right(fork[static_cast<size_t>((i + 1) % n)]);
  });
}
