// The flag that says "not empty" belongs to the first push, but stays up when the last element is gone.
#include "harness.hpp"
int main() {
  constexpr int kItems = 3;
  std::mutex m;
  std::atomic<int> top = 0;
  std::atomic<bool> filled = false;
  together(
      [&] {
        for (int i = 0; i < kItems; ++i) {
          std::scoped_lock guard(m);
          ++top;
          filled = true;
        }
      },
      [&] {
        for (int i = 0; i < kItems; ++i) {
          std::scoped_lock guard(m);
          if (!filled) continue;
          assert(top > 0);
          --top;
        }
      });
}
