// A session is renewed by one thread and expired by another; expiry looks, decides, then acts twice.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::atomic<int> clock = 0, expires = 2, open = 1, requests = 0;
  together(
      [&] {
        for (int i = 0; i < 3; ++i) ++clock;
      },
      [&] {
        for (int i = 0; i < 3; ++i) {
          std::scoped_lock g(m);
          if (open) {
            expires = clock + 2;
            ++requests;
          }
        }
      },
      [&] {
        const int now = clock;
        if (now >= expires) {
          const int before = requests;
          std::scoped_lock g(m);
          open = 0;
          assert(before == requests || clock >= expires);
        }
      });
}
