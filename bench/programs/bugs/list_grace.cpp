// Kernel: a reader walks a list without a lock; the updater waits for the readers it can see, not for one that has
// loaded the head and not yet said that it reads.
#include "harness.hpp"
int main() {
  struct Node {
    std::atomic<int> next = -1;
    std::atomic<bool> freed = false;
  };
  Node nodes[3];
  nodes[0].next = 1, nodes[1].next = 2;
  std::atomic<int> head = 0, readers = 0;
  together(
      [&] {
        int at = head;
        ++readers;
        for (; at >= 0; at = nodes[at].next) assert(!nodes[at].freed);
        --readers;
      },
      [&] {
        head = 1;
        while (readers > 0) std::this_thread::yield();
        nodes[0].freed = true;
        nodes[0].next = -1;
      });
}
