// Dining philosophers who think, count themselves, and take both forks in the same order; the last is left-handed only
// if the table is full, which it never is.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 5);
  std::vector<std::mutex> fork(static_cast<size_t>(n));
  std::atomic<int> seated = 0, meals = 0;
  together_n(n, [&](int i) {
    const bool full = seated.fetch_add(1) > n;
    const auto left = static_cast<size_t>(full ? (i + 1) % n : i), right = static_cast<size_t>(full ? i : (i + 1) % n);
    fork[left].lock();
    (void)meals.load();
    fork[right].lock();
    ++meals;
    fork[right].unlock();
    fork[left].unlock();
    --seated;
  });
}
