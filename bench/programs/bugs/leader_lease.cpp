// A lease is renewed by its holder and taken over when it has run out; both look at the time before they act.
#include "harness.hpp"
int main() {
  std::atomic<int> now = 0, until = 1, holder = 0, writes = 0;
  auto renew = [&](int me) {
    for (int i = 0; i < 2; ++i)
      if (holder == me && now < until) {
        until = now + 1;
        const int before = writes;
        if (holder != me) return;
        writes = before + 1;
      }
  };
  auto take_over = [&](int me) {
    for (int i = 0; i < 2; ++i)
      if (now >= until) {
        holder = me;
        until = now + 1;
        const int before = writes;
        writes = before + 1;
        assert(holder == me);
        return;
      }
  };
  together([&] { renew(0); }, [&] { take_over(1); }, [&] { take_over(2); }, [&] { ++now, ++now; });
}
