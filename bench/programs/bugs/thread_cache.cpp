// Blocks move from a thread's cache to the central list; count and list are changed one after the other.
#include "harness.hpp"
int main() {
  std::mutex lock;
  std::atomic<int> central = 2, count = 2, handed = 0;
  auto take = [&] {
    if (count > 0) {
      {
        std::scoped_lock g(lock);
        --central;
        assert(central >= 0);
      }
      ++handed;
      --count;
    }
  };
  auto give = [&] {
    if (handed > 0) {
      --handed;
      ++count;
      std::scoped_lock g(lock);
      ++central;
    }
  };
  together([&] { take(), give(); }, [&] { take(), give(); }, [&] { take(); });
}
