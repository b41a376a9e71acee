// The last of five to finish adds up; it counts itself before it has stored its part.
#include "harness.hpp"
int main() {
  constexpr int kWorkers = 5;
  std::atomic<int> index = 0, finished = 0, part[kWorkers] = {}, total = -1;
  together_n(kWorkers, [&](int me) {
    int sum = 0;
    for (int i; (i = index++) < 10;) sum += i;
    const bool last = ++finished == kWorkers;
    part[me] = sum;
    if (last) {
      int all = 0;
      for (auto& p : part) all += p;
      total = all;
    }
  });
  assert(total == 45);
}
