// Two threads exchange values by an offer; an offer that was taken back can still be accepted.
#include "harness.hpp"
int main() {
  enum { kFree, kOffered, kTaken };
  std::atomic<int> slot = kFree, offer = 0, answer = 0, given = 0, got = 0;
  auto exchange = [&](int mine) {
    int state = kFree;
    if (slot.compare_exchange_strong(state, kOffered)) {
      offer = mine;
      for (int patience = 0; patience < 2; ++patience)
        if (slot == kTaken) {
          ++got;
          slot = kFree;
          return;
        }
      slot = kFree;  // should be a compare-and-swap
      return;
    }
    if (state == kOffered && slot.compare_exchange_strong(state, kTaken)) {
      answer = mine;
      ++given;
    }
  };
  together([&] { exchange(1); }, [&] { exchange(2); }, [&] { exchange(3); });
  if (slot == kFree) assert(given == got);
}
