// Acquiring a reference by a look and an increment: the last one may have been given up in between.
#include "harness.hpp"
struct Thing {
  std::atomic<int> references{2};
  std::atomic<int> value{7};
};
int main() {
  Thing* thing = new Thing;
  std::atomic<Thing*> cache = thing;
  auto release = [&](Thing* t) {
    if (t->references.fetch_sub(1) == 1) {
      cache = nullptr;
      t->value = 0;
    }
  };
  auto user = [&] {
    Thing* t = cache;
    if (!t) return;
    if (t->references > 0) {
      ++t->references;
      assert(t->value == 7);
      release(t);
    }
  };
  together([&] { release(thing); }, [&] { release(thing); }, user, user);
  delete thing;
}
