// A free list of three blocks with a compare-and-swap on its head and no counter: a block that came back to the front
// with another successor lets a thread put a block in use at the head.
#include "harness.hpp"
int main() {
  constexpr int kBlocks = 4;
  std::atomic<int> next[kBlocks], head = 0, users[kBlocks] = {};
  for (int i = 0; i < kBlocks; ++i) next[i] = i + 1 < kBlocks ? i + 1 : -1;
  auto take = [&] {
    int at = head;
    while (at >= 0 && !head.compare_exchange_strong(at, next[at])) {
    }
    if (at >= 0) assert(users[at].fetch_add(1) == 0);
    return at;
  };
  auto give = [&](int at) {
    if (at < 0) return;
    --users[at];
    int first = head;
    do next[at] = first;
    while (!head.compare_exchange_strong(first, at));
  };
  together(
      [&] {
        const int a = take();
        const int b = take();
        give(a), give(b);
      },
      [&] { give(take()); }, [&] { take(); });
}
