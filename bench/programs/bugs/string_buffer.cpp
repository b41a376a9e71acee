// java.lang.StringBuffer.append: the length is read before the characters, under a lock that is given back between.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::atomic<int> length = 10;
  together(
      [&] {
        m.lock();
        const int n = length;
        m.unlock();
        m.lock();
        assert(n <= length);
        m.unlock();
      },
      [&] {
        for (int i = 0; i < 3; ++i) {
          m.lock();
          length = i == 1 ? 0 : 10;
          m.unlock();
        }
      });
}
