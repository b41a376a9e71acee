// Peterson's lock with the two stores the wrong way round.
#include "harness.hpp"
int main() {
  std::atomic<bool> wants[2] = {};
  std::atomic<int> turn = 0, inside = 0;
  together_n(2, [&](int me) {
    turn = 1 - me;
    wants[me] = true;
    while (wants[1 - me] && turn == 1 - me) std::this_thread::yield();
    assert(++inside == 1);
    --inside;
    wants[me] = false;
  });
}
