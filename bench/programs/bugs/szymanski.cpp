// Szymanski's mutual exclusion with the door left open too early.
#include "harness.hpp"
int main() {
  std::atomic<int> flag[2] = {}, inside = 0;
  auto thread = [&](int me) {
    const int other = 1 - me;
    flag[me] = 1;
    for (int i = 0; flag[other] >= 3; ++i)
      if (i == 2) return;
    flag[me] = 3;
    if (flag[other] == 1) {
      flag[me] = 2;
      for (int i = 0; flag[other] != 4; ++i)
        if (i == 2) return;
    }
    flag[me] = 4;
    for (int i = 0; me == 1 && flag[other] >= 3; ++i)  // should be >= 2
      if (i == 2) return;
    assert(inside.fetch_add(1) == 0);
    --inside;
    flag[me] = 0;
  };
  together([&] { thread(0); }, [&] { thread(1); });
}
