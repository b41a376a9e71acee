// A cache whose items are unlinked when old: the eviction looks at the count of references before it takes the lock.
#include "harness.hpp"
int main() {
  std::mutex lock;
  std::atomic<int> references = 1, linked = 1, freed = 0, age = 0;
  auto get = [&] {
    bool have = false;
    {
      std::scoped_lock g(lock);
      if (linked) {
        ++references;
        have = true;
      }
    }
    ++age;
    if (have) {
      assert(!freed);
      std::scoped_lock g(lock);
      --references;
    }
  };
  auto evict = [&] {
    if (age > 1 && references == 1) {
      std::scoped_lock g(lock);
      linked = 0;
      --references;
      freed = 1;
    }
  };
  together(get, get, get, evict);
}
