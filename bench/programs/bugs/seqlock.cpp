// A sequence lock whose reader compares the number it began with to itself being even, not to the number at the end.
#include "harness.hpp"
int main() {
  std::atomic<int> sequence = 0, low = 0, high = 0;
  together(
      [&] {
        for (int i = 1; i <= 2; ++i) {
          ++sequence;
          low = i;
          high = i;
          ++sequence;
        }
      },
      [&] {
        const int begin = sequence;
        if (begin % 2 == 1) return;
        const int a = low, b = high;
        if (sequence % 2 == 1) return;
        assert(a == b);
      });
}
