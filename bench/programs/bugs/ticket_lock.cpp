// A ticket lock that hands out numbers by a load and a store.
#include "harness.hpp"
int main() {
  std::atomic<int> next = 0, serving = 0, inside = 0;
  together_n(3, [&](int) {
    const int mine = next;
    next = mine + 1;
    while (serving != mine) std::this_thread::yield();
    assert(++inside == 1);
    --inside;
    serving = mine + 1;
  });
}
