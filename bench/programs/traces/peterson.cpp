// `peterson B`: mutual exclusion with at most B looks at the other's flag. Traces for B = 2, 3: 28, 46.
#include "side_by_side.hpp"

static std::atomic<int> wants[2], turn, inside;
static int looks;

int main(int argc, char** argv) {
  looks = argument(argc, argv, 1, 2);
  all_the_same(2, [](int me) {
    const int other = 1 - me;
    wants[me] = 1;
    turn = other;
    for (int i = 0; i < looks; ++i) {
      if (wants[other].load() && turn.load() != me) continue;
      inside = me + 1;
      assert(inside.load() == me + 1);
      break;
    }
    wants[me] = 0;
  });
}
