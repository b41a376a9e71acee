// A stack with elimination: a popper takes a pusher's offer, and the pusher, having waited in vain, pushes too.
#include "harness.hpp"
int main() {
  std::atomic<int> top = -1, next[4] = {-1, -1, -1, -1}, offer = -1, popped[4] = {};
  auto push = [&](int node) {
    int old = top;
    next[node] = old;
    if (top.compare_exchange_strong(old, node)) return;
    int none = -1;
    if (offer.compare_exchange_strong(none, node)) {
      if (offer != node) return;  // taken
      offer = -1;                 // withdrawn, it seems
    }
    old = top;
    do next[node] = old;
    while (!top.compare_exchange_strong(old, node));
  };
  auto pop = [&] {
    int node = top;
    if (node >= 0 && top.compare_exchange_strong(node, next[node])) return node;
    node = offer;
    if (node >= 0 && offer.compare_exchange_strong(node, -1)) return node;
    return -1;
  };
  auto use = [&](int node) {
    if (node >= 0) assert(popped[node].fetch_add(1) == 0);
  };
  together(
      [&] {
        push(0);
        push(1);
      },
      [&] { push(2); },
      [&] {
        use(pop());
        use(pop());
        use(pop());
      });
}
