// Vyukov's safe stack: a lock-free stack of indices that looks right and fails with three threads and at least five
// preemptions.
#include "harness.hpp"
int main() {
  constexpr int kThreads = 3;
  struct Item {
    std::atomic<int> value = 0, next = -1;
  };
  Item array[kThreads];
  std::atomic<int> head = 0, count = kThreads;
  for (int i = 0; i < kThreads - 1; ++i) array[i].next = i + 1;
  auto pop = [&] {
    while (count > 1) {
      int head1 = head;
      const int next1 = array[head1].next.exchange(-1);
      if (next1 < 0) continue;
      int expected = head1;
      if (head.compare_exchange_strong(expected, next1)) {
        --count;
        return head1;
      }
      array[head1].next.exchange(next1);
    }
    return -1;
  };
  auto push = [&](int index) {
    int head1 = head;
    do array[index].next = head1;
    while (!head.compare_exchange_strong(head1, index));
    ++count;
  };
  together_n(kThreads, [&](int me) {
    for (int round = 0; round < 2; ++round) {
      int mine;
      do {
        mine = pop();
        if (mine < 0) std::this_thread::yield();
      } while (mine < 0);
      array[mine].value = me;
      assert(array[mine].value == me);
      push(mine);
    }
  });
}
