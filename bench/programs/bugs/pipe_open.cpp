// After CVE-2009-3547: a pipe is opened by the first reader while the last one closes it.
#include "harness.hpp"
struct Pipe {
  std::atomic<int> readers = 0;
};
int main() {
  std::atomic<Pipe*> pipe = nullptr;
  std::mutex inode;
  Pipe memory;
  memory.readers = 1;
  pipe = &memory;
  together(
      [&] {
        std::scoped_lock g(inode);
        if (--pipe.load()->readers == 0) pipe = nullptr;
      },
      [&] {
        Pipe* p = pipe;
        if (!p) return;
        std::scoped_lock g(inode);
        pipe.load()->readers++;  // may have gone meanwhile: crash
      });
}
