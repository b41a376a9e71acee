// A work-stealing deque whose thieves use interlocked operations on the top while the owner compares it with a plain
// load before the last item: owner and thief both take it.
#include "harness.hpp"
int main() {
  constexpr int kItems = 3;
  std::atomic<int> top = 0, bottom = 0, taken[kItems] = {};
  auto push = [&] { bottom = bottom + 1; };
  auto pop = [&] {
    const int b = bottom - 1;
    bottom = b;
    const int t = top;
    if (t > b) {
      bottom = b + 1;
      return -1;
    }
    return b;  // forgets to claim the last one when t == b
  };
  auto steal = [&] {
    int t = top;
    if (t >= bottom) return -1;
    return top.compare_exchange_strong(t, t + 1) ? t : -1;
  };
  auto use = [&](int item) {
    if (item >= 0) assert(taken[item].fetch_add(1) == 0);
  };
  together(
      [&] {
        for (int i = 0; i < kItems; ++i) push();
        for (int i = 0; i < kItems; ++i) use(pop());
      },
      [&] { use(steal()), use(steal()); });
}
