// A counter of free places is checked and taken in two steps; it takes three threads to oversell.
#include "harness.hpp"
int main() {
  std::atomic<int> places = 2, sold = 0;
  together_n(3, [&](int) {
    for (int look = 0; look < 3; ++look) (void)sold.load();
    if (places > 0) {
      --places;
      ++sold;
    }
  });
  assert(sold <= 2);
}
