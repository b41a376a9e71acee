// A bounded queue with sequence numbers in which consumers do not say when a place is free again.
#include "harness.hpp"
int main() {
  constexpr int kSize = 2;
  struct Cell {
    std::atomic<int> sequence, value = 0;
  };
  Cell cell[kSize];
  for (int i = 0; i < kSize; ++i) cell[i].sequence = i;
  std::atomic<int> in = 0, out = 0, seen[5] = {};
  auto push = [&](int v) {
    for (int tries = 0; tries < 3; ++tries) {
      int pos = in;
      Cell& c = cell[pos % kSize];
      const int difference = c.sequence - pos;
      if (difference < 0) return;
      if (difference == 0 && in.compare_exchange_strong(pos, pos + 1)) {
        c.sequence = pos + 1;  // before the value: the consumer may come too early
        c.value = v;
        return;
      }
    }
  };
  auto pop = [&] {
    for (int tries = 0; tries < 3; ++tries) {
      int pos = out;
      Cell& c = cell[pos % kSize];
      const int difference = c.sequence - (pos + 1);
      if (difference < 0) return;
      if (difference == 0 && out.compare_exchange_strong(pos, pos + 1)) {
        const int v = c.value;
        c.sequence = pos + kSize;
        assert(seen[v].fetch_add(1) == 0 || v == 0);
        return;
      }
    }
  };
  together(
      [&] {
        push(1);
        push(2);
      },
      [&] {
        push(3);
        push(4);
      },
      [&] {
        pop();
        pop();
        pop();
      });
}
