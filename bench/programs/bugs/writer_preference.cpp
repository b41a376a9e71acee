// Readers and writers by counts of one's own: a reader looks whether a writer waits before it says that it is there.
#include "harness.hpp"
int main() {
  std::atomic<int> readers = 0, waiting = 0;
  std::atomic<bool> writing = false;
  std::atomic<int> a = 0, b = 0;
  auto read = [&] {
    for (int i = 0; i < 2; ++i) {
      while (writing || waiting > 0) std::this_thread::yield();
      ++readers;
      const int x = a, y = b;
      assert(x == y);
      --readers;
    }
  };
  auto write = [&] {
    ++waiting;
    bool no = false;
    while (!writing.compare_exchange_strong(no, true)) no = false;
    --waiting;
    while (readers > 0) std::this_thread::yield();
    ++a;
    ++b;
    writing = false;
  };
  together(read, read, write, write);
}
