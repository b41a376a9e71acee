// A weak reference is promoted by load, test and add; the last owner may be gone by then.
#include "harness.hpp"
int main() {
  std::atomic<int> owners = 2, destroyed = 0, used_after = 0;
  auto drop = [&] {
    if (--owners == 0) destroyed = 1;
  };
  auto promote = [&] {
    if (owners == 0) return;
    ++owners;
    if (destroyed) used_after = 1;
    drop();
  };
  together(drop, drop, promote);
  assert(!used_after);
}
