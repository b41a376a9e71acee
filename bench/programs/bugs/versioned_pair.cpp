// Optimistic reading of a pair: the version is compared with itself after a retry only.
#include "harness.hpp"
int main() {
  std::atomic<int> version = 0, a = 0, b = 0;
  std::mutex m;
  auto write = [&] {
    for (int i = 0; i < 3; ++i) {
      std::scoped_lock g(m);
      ++version;
      ++a;
      ++b;
      ++version;
    }
  };
  together(write, write, [&] {
    int before = version;
    if (before & 1) return;
    const int x = a;
    if (version != before) {
      before = version;
      return;
    }
    const int y = b;
    assert(y - x <= 1 && x <= y);
  });
}
