// A ring elects the largest number; a message overtaken by another one makes two leaders.
#include "harness.hpp"
int main() {
  constexpr int n = 4;
  std::atomic<int> box[n] = {}, leaders = 0;
  const int id[n] = {3, 1, 4, 2};
  together_n(n, [&](int me) {
    box[(me + 1) % n] = id[me];  // overwrites what was not read yet
    for (int i = 0; i < n; ++i) {
      const int got = box[me].exchange(0);
      if (got == 0) continue;
      if (got == id[me]) {
        ++leaders;
        return;
      }
      if (got > id[me]) box[(me + 1) % n] = got;
    }
    if (box[me] == 0 && id[me] == 3) ++leaders;
  });
  assert(leaders < 2);
}
