// Readers that become writers by unlocking in between rely on what they read before.
#include <shared_mutex>
#include "harness.hpp"
int main() {
  std::shared_mutex m;
  int members = 0;
  std::atomic<int> leaders = 0;
  together_n(4, [&](int me) {
    bool first;
    {
      std::shared_lock g(m);
      first = members == 0;
    }
    std::unique_lock g(m);
    ++members;
    if (first && me % 2 == 1) assert(leaders.fetch_add(1) == 0);
  });
}
