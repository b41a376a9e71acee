// Readers ask whether somebody writes before they count themselves; a writer looks at the count before it says that it
// writes.
#include "harness.hpp"
int main() {
  std::atomic<int> writing = 0, readers = 0, x = 0, y = 0;
  auto write = [&] {
    if (writing != 0 || readers != 0) return;
    writing = 1;
    x = 3;
    writing = 0;
  };
  auto read = [&] {
    if (writing != 0) return;
    ++readers;
    const int l = x;
    y = l;
    assert(y == x);
    --readers;
  };
  together(write, write, read, read);
}
