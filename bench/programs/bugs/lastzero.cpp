// Writers set elements from their left neighbour while a reader looks for the last zero; it trusts what it found.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 5);
  std::vector<std::atomic<int>> array(static_cast<size_t>(n) + 1);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n) + 1);
  threads.emplace_back([&] {
    int i = n;
    while (array[static_cast<size_t>(i)] != 0) --i;
    assert(i == n || array[static_cast<size_t>(i)] == 0 || i == 0);
    for (int j = i + 1; j < n; ++j) assert(array[static_cast<size_t>(j)] <= array[static_cast<size_t>(j) + 1]);
  });
  for (int j = 1; j <= n; ++j)
    threads.emplace_back([&, j] { array[static_cast<size_t>(j)] = array[static_cast<size_t>(j) - 1] + 1; });
  for (std::thread& t : threads) t.join();
}
