// After aget: the position of a download is saved while a thread is between writing and counting.
#include "harness.hpp"
int written = 0, disk[6] = {};
std::mutex m;
bool saved = false;
int saved_count = 0, saved_disk = 0;
int main() {
  auto part = [](int first) {
    for (int i = first; i < first + 3; ++i) {
      disk[i] = 1;
      std::scoped_lock g(m);
      ++written;
    }
  };
  std::thread a(part, 0), b(part, 3);
  std::thread signal([] {
    std::scoped_lock g(m);
    saved_count = written;
    for (int d : disk) saved_disk += d;
    saved = true;
  });
  a.join();
  b.join();
  signal.join();
  assert(saved_disk <= saved_count + 1);
}
