// Two-phase commit: the coordinator decides by counts that are not read together.
#include "harness.hpp"
int main() {
  std::atomic<int> yes = 0, no = 0, decision = 0, retries = 0;
  auto participant = [&](int me) {
    ++yes;
    if (me == 2) {  // has second thoughts
      if (retries == 1) {
        --yes;
        ++no;
      }
    }
  };
  together([&] { participant(0); }, [&] { participant(1); }, [&] { participant(2); },
           [&] {
             if (no == 0) {
               retries = 1;
               if (yes == 3) decision = 1;
             }
           });
  assert(!(decision == 1 && no > 0));
}
