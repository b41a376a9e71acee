// Three transfers over three locks, two of which take them in another order: a cycle of three.
#include "harness.hpp"
int main() {
  std::mutex m[3];
  auto both = [&](int a, int b) {
    for (int i = 0; i < 2; ++i) {
      std::scoped_lock first(m[a]);
      std::scoped_lock second(m[b]);
    }
  };
  together([&] { both(0, 1); }, [&] { both(1, 2); }, [&] { both(2, 0); });
}
