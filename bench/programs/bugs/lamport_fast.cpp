// Lamport's fast mutual exclusion for three threads; the slow path does not wait for all others.
#include "harness.hpp"
int main() {
  std::atomic<int> x = 0, y = 0, wants[4] = {}, inside = 0;
  together_n(3, [&](int i) {
    const int me = i + 1;
    for (int attempt = 0; attempt < 2; ++attempt) {
      wants[me] = 1;
      x = me;
      if (y != 0) {
        wants[me] = 0;
        continue;
      }
      y = me;
      if (x != me) {
        wants[me] = 0;
        if (wants[me % 3 + 1]) continue;  // looks at one of them only
        if (y != me) continue;
      }
      assert(inside.fetch_add(1) == 0);
      --inside;
      y = 0;
      wants[me] = 0;
    }
  });
}
