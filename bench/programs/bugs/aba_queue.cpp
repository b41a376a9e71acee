// A free list shared by three threads that recycle their nodes at once.
#include "harness.hpp"
int main() {
  std::atomic<int> head = 0, next[3] = {1, 2, -1}, owner[3] = {-1, -1, -1};
  together_n(3, [&](int me) {
    for (int round = 0; round < 2; ++round) {
      int node = head;
      while (node != -1 && !head.compare_exchange_strong(node, next[node])) {
      }
      if (node == -1) continue;
      int nobody = -1;
      assert(owner[node].compare_exchange_strong(nobody, me));
      owner[node] = -1;
      int old = head;
      do next[node] = old;
      while (!head.compare_exchange_strong(old, node));
    }
  });
}
