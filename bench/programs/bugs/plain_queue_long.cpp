// A queue of twenty: the receiver must not see one that is half enqueued, behind many that are fine.
#include "harness.hpp"
constexpr int kSize = 20;
int element[kSize + 1], head = 0, tail = 0, amount = 0;
std::mutex m;
int main() {
  together(
      [] {
        for (int i = 0; i < kSize; ++i) {
          {
            std::scoped_lock g(m);
            element[tail] = i + 1;
            ++tail;
          }
          std::scoped_lock g(m);
          ++amount;
        }
      },
      [] {
        for (int i = 0; i < kSize; ++i) {
          std::scoped_lock g(m);
          if (amount == 0) {
            assert(tail - head < 1 || i < 12);
            continue;
          }
          ++head;
          --amount;
        }
      });
}
