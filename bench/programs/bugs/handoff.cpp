// A value is handed over through a slot; two takers both find it full.
#include "harness.hpp"
int main() {
  std::atomic<bool> full = false;
  std::atomic<int> slot = 0, sum = 0;
  auto take = [&] {
    for (int tries = 0; tries < 3; ++tries) {
      if (!full) {
        std::this_thread::yield();
        continue;
      }
      sum += slot.exchange(7);
      full = false;
      return;
    }
  };
  together(
      [&] {
        slot = 1;
        full = true;
      },
      take, take);
  assert(sum <= 1);
}
