// `bluetooth A`: the repaired driver of Qadeer & Wu (2004), A requests while it is stopped. Traces for A = 1, 2, 3: 9,
// 186, 6774.
#include "side_by_side.hpp"

static std::atomic<int> pending{1}, stopping, drained, stopped;

static void leave() {
  if (pending.fetch_sub(1) == 1) drained.store(1);
}

static bool enter() {
  pending.fetch_add(1);
  if (stopping.load() == 0) return true;
  leave();
  return false;
}

int main(int argc, char** argv) {
  side_by_side(argument(argc, argv, 1, 2) + 1, [](int thread) -> Body {
    if (thread == 0)
      return [](int) {
        stopping.store(1);
        leave();
        if (drained.load() != 0) stopped.store(1);
      };
    return [](int) {
      if (!enter()) return;
      assert(stopped.load() == 0);
      leave();
    };
  });
}
