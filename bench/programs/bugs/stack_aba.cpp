// A lock-free stack that reuses nodes: compare-exchange cannot tell the same head from a head that came back.
#include "harness.hpp"
int main() {
  std::atomic<int> head = 0, next[3] = {1, 2, -1};
  std::atomic<int> got[3] = {};
  auto pop = [&] {
    int old = head;
    while (old != -1 && !head.compare_exchange_strong(old, next[old])) {
    }
    if (old != -1) ++got[old];
    return old;
  };
  auto push = [&](int node) {
    --got[node];
    int old = head;
    do next[node] = old;
    while (!head.compare_exchange_strong(old, node));
  };
  together([&] { pop(); },
           [&] {
             const int a = pop();
             pop();
             if (a != -1) push(a);
           });
  for (auto& count : got) assert(count <= 1 && count >= 0);
  int length = 0, taken = got[0] + got[1] + got[2];
  for (int node = head; node != -1; node = next[node]) {
    assert(got[node] == 0);
    ++length;
  }
  assert(length + taken == 3);
}
