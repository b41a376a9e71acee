// Lazy initialisation in two steps: who finds the table made takes it for filled, and the second initialiser, who lost,
// throws away the table that the first one's readers use.
#include "harness.hpp"
int main() {
  struct Table {
    std::atomic<int> entries = 0;
    std::atomic<bool> dead = false;
  };
  Table tables[2];
  std::atomic<Table*> current = nullptr;
  auto get = [&](int me) {
    Table* t = current;
    if (t) return t;
    Table* mine = &tables[me];
    mine->entries = 3;
    Table* before = current.exchange(mine);  // should be a compare-and-swap
    if (before) before->dead = true;
    return mine;
  };
  together_n(2, [&](int me) {
    Table* t = get(me);
    assert(t->entries == 3);
    assert(!t->dead);
  });
}
