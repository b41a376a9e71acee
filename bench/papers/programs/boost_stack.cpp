// Boost.Lockfree's stack. Seeded: the tag of a pointer does not grow, so a node that came back passes for the old one.
#include <boost/lockfree/stack.hpp>

#include "../../programs/bugs/harness.hpp"
int main() {
  boost::lockfree::stack<int, boost::lockfree::fixed_sized<false>> stack(4);
  for (int i = 0; i < 3; ++i) stack.push(i);
  std::atomic<int> held[3] = {};
  auto pop = [&] {
    int item = -1;
    if (stack.pop(item)) assert(held[item].fetch_add(1) == 0);
    return item;
  };
  auto push = [&](int item) {
    if (item < 0) return;
    --held[item];
    stack.push(item);
  };
  together([&] { push(pop()); },
           [&] {
             const int a = pop();
             const int b = pop();
             push(a);
             push(b);
             pop();
             pop();
           });
}
