// Long loops over a shared log; the bug is between two entries in the middle of them.
#include "harness.hpp"
int main() {
  std::mutex m;
  int log = 0;
  std::atomic<int> head = 0, tail = 0;
  auto noise = [&](int n) {
    for (int i = 0; i < n; ++i) {
      std::scoped_lock g(m);
      ++log;
    }
  };
  together(
      [&] {
        noise(30);
        head = 1;
        noise(1);
        tail = 1;
        noise(30);
        head = 2;
        tail = 2;
        noise(10);
      },
      [&] {
        noise(45);
        const int t = tail, h = head;
        assert(!(t == 1 && h == 2));
        noise(20);
      },
      [&] { noise(50); });
}
