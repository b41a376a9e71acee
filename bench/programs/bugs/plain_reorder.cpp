// Two plain variables set one after the other. For runs that do not take the race itself for the bug.
#include "harness.hpp"
int a = 0, b = 0;
int main(int argc, char** argv) {
  const int n = number(argc, argv, 4);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n) + 1);
  for (int i = 0; i < n; ++i)
    threads.emplace_back([] {
      a = 1;
      b = -1;
    });
  threads.emplace_back([] {
    const int x = a, y = b;
    assert((x == 0 && y == 0) || (x == 1 && y == -1));
  });
  for (std::thread& t : threads) t.join();
}
