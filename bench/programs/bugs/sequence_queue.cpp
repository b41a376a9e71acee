// A bounded queue with sequence numbers: the place is told free one lap too early.
#include "harness.hpp"
int main() {
  constexpr int kSize = 2;
  std::atomic<int> sequence[kSize], cell[kSize] = {}, head = 0, tail = 0, got[8] = {};
  for (int i = 0; i < kSize; ++i) sequence[i] = i;
  auto push = [&](int x) {
    for (int tries = 0; tries < 4; ++tries) {
      int t = tail;
      const int s = sequence[t % kSize];
      if (s - t < 0) return false;
      if (s == t && tail.compare_exchange_strong(t, t + 1)) {
        cell[t % kSize] = x;
        sequence[t % kSize] = t + 1;
        return true;
      }
    }
    return false;
  };
  auto pop = [&] {
    for (int tries = 0; tries < 4; ++tries) {
      int h = head;
      const int s = sequence[h % kSize];
      if (s - (h + 1) < 0) return 0;
      if (s == h + 1 && head.compare_exchange_strong(h, h + 1)) {
        sequence[h % kSize] = h + kSize;
        return cell[h % kSize].load();  // after the place was given back
      }
    }
    return 0;
  };
  auto take = [&] {
    if (const int x = pop()) assert(got[x]++ == 0);
  };
  together([&] { push(1), push(2), push(3); }, [&] { push(4); }, [&] { take(), take(); }, [&] { take(); });
}
