// A buffer of one with one condition variable per side, both waited on with `if`: a late comer takes what was meant for
// the one just woken.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable can_put, can_get;
  int items = 0;
  auto put = [&] {
    std::unique_lock lock(m);
    while (items == 1) can_put.wait(lock);
    ++items;
    can_get.notify_one();
  };
  auto get = [&] {
    std::unique_lock lock(m);
    if (items == 0) can_get.wait(lock);
    --items;
    assert(items >= 0);
    can_put.notify_one();
  };
  together(
      [&] {
        put();
        put();
      },
      get, get);
}
