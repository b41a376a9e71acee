// A work-stealing queue without locks: the owner takes the last item without competing for it.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int thieves = number(argc, argv, 1);
  constexpr int kItems = 4, kMask = 7;
  std::atomic<int> head = 0, tail = 0, item[8] = {}, taken[kItems] = {};
  auto push = [&](int value) {
    const int t = tail;
    item[t & kMask] = value;
    tail = t + 1;
  };
  auto pop = [&] {
    const int t = tail - 1;
    tail = t;
    const int h = head;
    if (h < t) return item[t & kMask].load();
    if (h == t) {  // the last one: compares, but does not take it away from the thieves in one step
      const int value = item[t & kMask];
      if (head == h) {
        head = h + 1;
        tail = h + 1;
        return value;
      }
    }
    tail = head.load();
    return -1;
  };
  auto steal = [&] {
    int h = head;
    if (h >= tail) return -1;
    const int value = item[h & kMask];
    return head.compare_exchange_strong(h, h + 1) ? value : -1;
  };
  auto use = [&](int value) {
    if (value >= 0) assert(taken[value].fetch_add(1) == 0);
  };
  std::vector<std::thread> others;
  for (int i = 0; i < thieves; ++i)
    others.emplace_back([&] {
      use(steal());
      use(steal());
    });
  for (int i = 0; i < kItems; i += 2) {
    push(i);
    push(i + 1);
    use(pop());
  }
  use(pop());
  use(pop());
  for (auto& t : others) t.join();
}
