// Three threads add to a sum under a lock; the last one takes any order for the wrong one.
#include "harness.hpp"
int data = 0;
std::mutex m;
int main() {
  together(
      [] {
        std::scoped_lock g(m);
        data += 1;
      },
      [] {
        std::scoped_lock g(m);
        data += 2;
      },
      [] {
        std::scoped_lock g(m);
        assert(data < 3);
      });
}
