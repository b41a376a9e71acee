// A ring that is overwritten: the reader looks whether it was lapped before it reads, not after.
#include "harness.hpp"
int main() {
  constexpr int kSize = 4;
  std::atomic<int> ring[kSize] = {}, written = 0;
  together(
      [&] {
        for (int i = 1; i <= 10; ++i) {
          ring[i % kSize] = i;
          written = i;
        }
      },
      [&] {
        for (int i = 1; i <= 3; ++i) {
          const int w = written;
          if (w < i || w - i >= kSize - 1) continue;
          const int got = ring[i % kSize];
          assert(got == i);
        }
      });
}
