// A subscriber takes itself out while another thread walks the list: one in between is called twice or never.
#include "harness.hpp"
int main() {
  std::atomic<int> list[4] = {10, 11, 12, 13}, size = 4, called[4] = {};
  auto notify = [&] {
    for (int i = 0; i < size; ++i) {
      const int who = list[i];
      ++called[who - 10];
    }
  };
  auto leave = [&](int who) {
    for (int i = 0; i < size; ++i)
      if (list[i] == who) {
        for (int j = i; j + 1 < size; ++j) list[j] = list[j + 1].load();
        --size;
        return;
      }
  };
  together(notify, [&] { leave(11); });
  assert(called[0] == 1 && called[2] == 1 && called[3] == 1);
}
