// Two buffers, swapped when the writer is done; a slow reader is still in the one that is written next.
#include "harness.hpp"
int main() {
  std::atomic<int> buffer[2][3] = {}, front = 0;
  together(
      [&] {
        for (int frame = 1; frame <= 3; ++frame) {
          const int back = 1 - front;
          for (auto& p : buffer[back]) p = frame;
          front = back;
        }
      },
      [&] {
        const int f = front;
        const int first = buffer[f][0];
        buffer[f][1].load();
        const int last = buffer[f][2];
        assert(last <= first + 1);
      });
}
