// `dekker B`: mutual exclusion with at most B looks. Traces for B = 2, 3: 26, 56.
#include "side_by_side.hpp"

static std::atomic<int> wants[2], turn, inside;
static int looks;

static bool my_turn_comes(int me) {
  for (int i = 0; i < looks; ++i)
    if (turn.load() == me) return true;
  return false;
}

int main(int argc, char** argv) {
  looks = argument(argc, argv, 1, 2);
  all_the_same(2, [](int me) {
    const int other = 1 - me;
    bool entered = false;
    wants[me] = 1;
    for (int i = 0; i < looks && !entered; ++i) {
      if (wants[other].load() == 0) {
        entered = true;
      } else if (turn.load() != me) {
        wants[me] = 0;
        if (!my_turn_comes(me)) return;
        wants[me] = 1;
      }
    }
    if (entered) {
      inside = me + 1;
      assert(inside.load() == me + 1);
      turn = other;
    }
    wants[me] = 0;
  });
}
