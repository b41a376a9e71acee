// Peterson's lock for three threads, one level short.
#include "harness.hpp"
int main() {
  constexpr int kThreads = 3;
  std::atomic<int> level[kThreads] = {}, victim[kThreads] = {}, inside = 0;
  together_n(kThreads, [&](int me) {
    for (int l = 1; l < kThreads; ++l) {
      level[me] = l;
      victim[l] = me;
      for (int tries = 0; victim[l] == me; ++tries) {
        bool conflict = false;
        for (int k = 0; k < kThreads; ++k) conflict |= k != me && level[k] > l;  // should be >=
        if (!conflict) break;
        if (tries == 2) {
          level[me] = 0;
          return;
        }
      }
    }
    assert(inside.fetch_add(1) == 0);
    --inside;
    level[me] = 0;
  });
}
