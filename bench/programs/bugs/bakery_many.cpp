// A ticket bakery for four; two who draw the same number are told apart only if neighbours.
#include "harness.hpp"
int main() {
  constexpr int n = 3;
  std::atomic<int> ticket[n] = {}, inside = 0;
  together_n(n, [&](int me) {
    int most = 0;
    for (auto& t : ticket) most = std::max(most, t.load());
    ticket[me] = most + 1;
    for (int k = 0; k < n; ++k) {
      if (k == me) continue;
      for (int tries = 0;; ++tries) {
        const int other = ticket[k];
        if (other == 0 || other > ticket[me] || (other == ticket[me] && k > me)) break;
        if (tries == 3) {
          ticket[me] = 0;
          return;
        }
      }
    }
    assert(inside.fetch_add(1) == 0);
    --inside;
    ticket[me] = 0;
  });
}
