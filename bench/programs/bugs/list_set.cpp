// A sorted list without marks: an insertion behind a node that is taken out at the same time is lost.
#include "harness.hpp"
struct Node {
  int key;
  std::atomic<Node*> next;
};
int main() {
  Node tail{100, nullptr}, c{30, &tail}, b{20, &c}, a{10, &b}, head{0, &a};
  Node fresh[2] = {{25, nullptr}, {15, nullptr}};
  auto insert = [&](Node& n) {
    while (true) {
      Node* p = &head;
      Node* q = p->next;
      while (q->key < n.key) p = q, q = p->next;
      n.next = q;
      if (p->next.compare_exchange_strong(q, &n)) return;
    }
  };
  auto remove = [&](int key) {
    while (true) {
      Node* p = &head;
      Node* q = p->next;
      while (q->key < key) p = q, q = p->next;
      if (q->key != key) return;
      Node* after = q->next;
      if (p->next.compare_exchange_strong(q, after)) return;
    }
  };
  together([&] { insert(fresh[0]); }, [&] { remove(20); }, [&] { insert(fresh[1]); });
  int found = 0;
  for (Node* p = &head; p; p = p->next) found += p == &fresh[0] || p == &fresh[1];
  assert(found == 2);
}
