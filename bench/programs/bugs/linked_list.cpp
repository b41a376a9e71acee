// A sorted list without marks: an insertion behind a node that is being removed is lost.
#include "harness.hpp"
int main() {
  struct Node {
    std::atomic<int> key = 0;
    std::atomic<int> next = -1;
  };
  Node node[6];
  for (int i = 0; i < 6; ++i) node[i].key = i * 10;
  node[0].next = 2;
  node[2].next = 4;
  node[4].next = 5;
  auto find = [&](int key) {  // the one before
    int at = 0;
    while (node[node[at].next].key < key) at = node[at].next;
    return at;
  };
  auto insert = [&](int n) {
    while (true) {
      const int before = find(node[n].key);
      int after = node[before].next;
      node[n].next = after;
      if (node[before].next.compare_exchange_strong(after, n)) return;
    }
  };
  auto remove = [&](int n) {
    while (true) {
      const int before = find(node[n].key);
      int expected = n;
      if (node[before].next.compare_exchange_strong(expected, node[n].next)) return;
    }
  };
  together(
      [&] {
        insert(1);
        insert(3);
      },
      [&] { remove(2); }, [&] { remove(4); });
  bool one = false, three = false;
  for (int at = 0; at != -1; at = node[at].next) {
    one |= at == 1;
    three |= at == 3;
    if (at == 5) break;
  }
  assert(one && three);
}
