// A bridge of one lane: the last car of a direction opens it for the others before it has left.
#include "harness.hpp"
int main() {
  std::atomic<int> on[2] = {}, direction = -1;
  auto cross = [&](int d) {
    int none = -1;
    while (direction != d && !direction.compare_exchange_strong(none, d)) {
      none = -1;
      std::this_thread::yield();
    }
    ++on[d];
    assert(on[1 - d] == 0);
    if (--on[d] == 0) direction = -1;
  };
  together([&] { cross(0); }, [&] { cross(0); }, [&] { cross(1); });
}
