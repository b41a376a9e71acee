// Transfers between three accounts lock the two they touch; the sum is taken under a lock of its own and so meets money
// on its way.
#include "harness.hpp"
int main() {
  std::mutex locks[3], audit;
  std::atomic<int> account[3] = {10, 10, 10};
  auto transfer = [&](int from, int to) {
    std::scoped_lock both(locks[from], locks[to]);
    account[from] -= 5;
    account[to] += 5;
  };
  together([&] { transfer(0, 1); }, [&] { transfer(1, 2); },
           [&] {
             std::lock_guard guard(audit);
             int sum = 0;
             for (const auto& a : account) sum += a;
             assert(sum == 30);
           });
}
