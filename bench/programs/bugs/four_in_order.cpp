// Four events in one order among five threads make the branch.
#include "harness.hpp"
int main() {
  std::atomic<int> state = 0;
  std::atomic<bool> broken = false;
  auto step = [&](int from, int to) {
    for (int i = 0; i < 2; ++i) {
      int expected = from;
      state.compare_exchange_strong(expected, to);
    }
  };
  together([&] { step(3, 4); }, [&] { step(2, 3); }, [&] { step(1, 2); }, [&] { step(0, 1); },
           [&] {
             if (state == 2) {
               if (state == 4) broken = true;
             }
           });
  assert(!broken);
}
