// A ring whose consumer publishes the free slot before it has read it.
#include "harness.hpp"
int main() {
  constexpr int kSize = 2;
  std::atomic<int> slot[kSize] = {}, head = 0, tail = 0;
  together(
      [&] {
        for (int i = 1; i <= 4;) {
          if (tail - head >= kSize) {
            std::this_thread::yield();
            continue;
          }
          slot[tail % kSize] = i++;
          ++tail;
        }
      },
      [&] {
        for (int i = 1; i <= 4;) {
          if (head == tail) {
            std::this_thread::yield();
            continue;
          }
          const int at = head++;
          assert(slot[at % kSize] == i++);
        }
      });
}
