// Two locks in two orders, behind some work that has nothing to do with it.
#include "harness.hpp"
int main() {
  std::mutex a, b;
  std::atomic<int> work = 0;
  together(
      [&] {
        ++work;
        std::scoped_lock first(a);
        std::scoped_lock second(b);
        ++work;
      },
      [&] {
        ++work;
        std::scoped_lock first(b);
        std::scoped_lock second(a);
        ++work;
      });
}
