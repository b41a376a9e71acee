// Permits are given back twice when the work fails half-way; the third guest then meets another one inside.
#include "harness.hpp"
int main() {
  std::counting_semaphore<4> permits(1);
  std::atomic<int> inside = 0;
  std::atomic<bool> failed = false;
  together_n(3, [&](int me) {
    permits.acquire();
    assert(++inside == 1);
    --inside;
    if (me == 0 && !failed.exchange(true)) permits.release();
    permits.release();
  });
}
