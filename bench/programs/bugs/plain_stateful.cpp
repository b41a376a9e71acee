// Two threads, two locks, one sum each: the final values are wrong in one order of four sections only.
#include "harness.hpp"
int a = 10, b = 10;
std::mutex ma, mb;
int main() {
  together(
      [] {
        {
          std::scoped_lock g(ma);
          ++a;
        }
        {
          std::scoped_lock g(mb);
          ++b;
        }
        {
          std::scoped_lock g(ma);
          if (a > 15) a = 99;
        }
      },
      [] {
        {
          std::scoped_lock g(mb);
          b -= 5;
        }
        {
          std::scoped_lock g(ma);
          a += 6 * (b == 5);
        }
      });
  assert(a != 99);
}
