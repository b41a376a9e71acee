// Readers announce themselves after they have taken the pointer; the writer frees when nobody is announced.
#include "harness.hpp"
int main() {
  std::atomic<int> current = 0, readers = 0;
  std::atomic<bool> freed[2] = {};
  auto read = [&] {
    const int mine = current;
    ++readers;
    assert(!freed[mine]);
    --readers;
  };
  together(read, read, [&] {
    current = 1;
    while (readers != 0) std::this_thread::yield();
    freed[0] = true;
  });
}
