// After MySQL: the log is closed and opened again; a transaction in between is not written.
#include "harness.hpp"
int main() {
  std::mutex lock;
  std::atomic<bool> open_ = true;
  std::atomic<int> written = 0;
  auto insert = [&] {
    for (int i = 0; i < 4; ++i) {
      std::scoped_lock g(lock);
      if (open_) ++written;
    }
  };
  together(insert, insert, [&] {
    {
      std::scoped_lock g(lock);
      open_ = false;
    }
    {
      std::scoped_lock g(lock);
      open_ = true;
    }
  });
  assert(written == 8);
}
