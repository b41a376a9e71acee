// Money moves between accounts, each under its own lock; an audit in between sees less than there is.
#include "harness.hpp"
int main() {
  std::mutex m[2];
  int balance[2] = {100, 100};
  together(
      [&] {
        {
          std::scoped_lock guard(m[0]);
          balance[0] -= 30;
        }
        std::scoped_lock guard(m[1]);
        balance[1] += 30;
      },
      [&] {
        int sum = 0;
        for (int i = 0; i < 2; ++i) {
          std::scoped_lock guard(m[i]);
          sum += balance[i];
        }
        assert(sum >= 200);
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::scoped_lock guard(m[i]);
          (void)balance[i];
        }
      });
}
