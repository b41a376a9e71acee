// A bounded buffer with `if` where `while` belongs, and one condition variable for both sides.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable changed;
  int items = 0;
  auto put = [&] {
    std::unique_lock lock(m);
    if (items == 1) changed.wait(lock);
    assert(items == 0);
    ++items;
    changed.notify_one();
  };
  auto get = [&] {
    std::unique_lock lock(m);
    if (items == 0) changed.wait(lock);
    assert(items == 1);
    --items;
    changed.notify_one();
  };
  together(put, put, get, get);
}
