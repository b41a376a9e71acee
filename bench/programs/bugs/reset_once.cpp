// Initialisation that can be reset: whoever waits for it may see the state of the time before.
#include "harness.hpp"
int main() {
  enum { kNone, kBusy, kReady };
  std::atomic<int> state = kNone, value = 0, resets = 0;
  auto get = [&] {
    while (true) {
      int s = kNone;
      if (state.compare_exchange_strong(s, kBusy)) {
        value = 1 + resets;
        state = kReady;
        return;
      }
      if (s == kReady) {
        assert(value != 0);
        return;
      }
      std::this_thread::yield();
    }
  };
  together(get, get, [&] {
    get();
    int s = kReady;
    if (state.compare_exchange_strong(s, kNone)) {
      ++resets;
      value = 0;
    }
  });
}
