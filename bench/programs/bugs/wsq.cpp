// Work-stealing queue (Cilk's THE protocol) with one of three bugs: 1 the owner does not ask again under the lock,
// 2 the thief looks at the tail before it has announced itself, 3 an empty queue is reset without the lock.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int bug = number(argc, argv, 1);
  constexpr int kItems = 3;
  std::mutex m;
  std::atomic<int> head = 0, tail = 0, item[kItems] = {}, taken[kItems] = {};
  auto push = [&](int value) {
    const int t = tail;
    item[t % kItems] = value;
    tail = t + 1;
  };
  auto pop = [&] {
    int t = tail - 1;
    tail = t;
    if (head <= t) return item[t % kItems].load();
    tail = t + 1;
    if (bug == 3) {
      if (head >= tail) head = 0, tail = 0;
      return -1;
    }
    std::scoped_lock guard(m);
    if (bug == 1) {
      tail = t;
      return item[t % kItems].load();
    }
    t = tail - 1;
    tail = t;
    if (head <= t) return item[t % kItems].load();
    tail = t + 1;
    return -1;
  };
  auto steal = [&] {
    std::scoped_lock guard(m);
    const int h = head;
    if (bug == 2 && h >= tail) return -1;
    head = h + 1;
    if (bug == 2 || h + 1 <= tail) return item[h % kItems].load();
    head = h;
    return -1;
  };
  auto take = [&](int value) {
    if (value >= 0) assert(++taken[value] == 1);
  };
  together(
      [&] {
        push(0);
        push(1);
        take(pop());
        push(2);
        take(pop());
        take(pop());
      },
      [&] {
        take(steal());
        take(steal());
      });
}
