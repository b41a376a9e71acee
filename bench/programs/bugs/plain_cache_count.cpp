// After memcached: increments of one key under the lock of another bucket; ten keys, one of which is wrong.
#include "harness.hpp"
int value[10];
std::mutex bucket[3];
int main() {
  auto work = [](int me) {
    for (int k = 0; k < 10; ++k) {
      std::scoped_lock g(bucket[k == 7 ? me : k % 3]);
      ++value[k];
    }
  };
  together([&] { work(0); }, [&] { work(1); }, [&] { work(2); });
  for (int v : value) assert(v == 3);
}
