// A work-stealing queue whose array is replaced when it is full; a thief may hold on to the old one.
#include "harness.hpp"
int main() {
  struct Ring {
    int mask;
    std::atomic<int> item[8] = {};
  };
  Ring small{1}, large{7};
  std::atomic<Ring*> ring = &small;
  std::atomic<int> head = 0, tail = 0, taken[6] = {};
  auto push = [&](int value) {
    const int t = tail, h = head;
    Ring* r = ring;
    if (t - h > r->mask && r == &small) {
      for (int i = h; i < t; ++i) large.item[i & 7] = small.item[i & 1].load();
      ring = r = &large;
      small.item[0] = small.item[1] = -1;  // reused at once
    }
    r->item[t & r->mask] = value;
    tail = t + 1;
  };
  auto steal = [&] {
    int h = head;
    if (h >= tail) return;
    Ring* r = ring;
    const int value = r->item[h & r->mask];
    if (!head.compare_exchange_strong(h, h + 1)) return;
    assert(value >= 0 && taken[value]++ == 0);
  };
  together(
      [&] {
        for (int i = 0; i < 4; ++i) push(i);
      },
      [&] {
        for (int i = 0; i < 3; ++i) steal();
      });
}
