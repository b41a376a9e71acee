// A table that grows: a lookup that began in the old half finds nothing in either.
#include "harness.hpp"
int main() {
  std::atomic<int> slots[2][4] = {}, current = 0;
  for (int i = 0; i < 3; ++i) slots[0][i] = i + 1;
  std::atomic<bool> missing = false;
  auto find = [&](int key) {
    const int t = current;
    for (auto& s : slots[t])
      if (s == key) return true;
    if (current == t) return false;
    for (auto& s : slots[current])
      if (s == key) return true;
    return false;
  };
  together(
      [&] {
        for (int i = 0; i < 4; ++i) slots[1][i] = slots[0][i].exchange(0);
        current = 1;
        for (auto& s : slots[0]) s = 0;
      },
      [&] {
        if (!find(3)) missing = true;
      },
      [&] { find(1); });
  assert(!missing);
}
