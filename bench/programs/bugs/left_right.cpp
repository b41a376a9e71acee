// Two copies, one written while the other is read: the writer does not wait for readers of the copy it changes next.
#include "harness.hpp"
int main() {
  std::atomic<int> copy[2][2] = {}, side = 0, readers[2] = {};
  auto read = [&] {
    for (int i = 0; i < 2; ++i) {
      const int s = side;
      ++readers[s];
      const int a = copy[s][0], b = copy[s][1];
      assert(a == b);
      --readers[s];
    }
  };
  together(read, read, [&] {
    for (int i = 1; i <= 2; ++i) {
      const int s = side, other = 1 - s;
      if (readers[other] != 0) continue;
      copy[other][0] = i;
      copy[other][1] = i;
      side = other;
    }
  });
}
