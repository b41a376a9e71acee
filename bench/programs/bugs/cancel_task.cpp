// A task is cancelled, finished and started again; three states, one change of which is not compared.
#include "harness.hpp"
int main() {
  enum { kPending, kRunning, kDone, kCancelled };
  std::atomic<int> state = kPending, runs = 0, callbacks = 0;
  auto worker = [&] {
    int s = kPending;
    if (state.compare_exchange_strong(s, kRunning)) {
      ++runs;
      if (state != kCancelled) {
        state = kDone;
        ++callbacks;
      }
    }
  };
  together(
      worker,
      [&] {
        int s = state;
        if (s == kPending || s == kRunning)
          if (state.compare_exchange_strong(s, kCancelled)) ++callbacks;
      },
      [&] {
        int s = kCancelled;
        if (state.compare_exchange_strong(s, kPending)) worker();
      });
  assert(callbacks <= 2 && !(runs == 2 && callbacks == 1));
}
