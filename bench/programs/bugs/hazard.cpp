// Hazard pointers without looking again after the announcement.
#include "harness.hpp"
int main() {
  std::atomic<int*> shared = new int(0);
  std::atomic<int*> hazard[2] = {};
  auto read = [&](int me) {
    for (int i = 0; i < 2; ++i) {
      int* p = shared;
      hazard[me] = p;
      const int v = *p;
      assert(v >= 0);
      hazard[me] = nullptr;
    }
  };
  together([&] { read(0); }, [&] { read(1); },
           [&] {
             for (int i = 1; i < 3; ++i) {
               int* old = shared.exchange(new int(i));
               for (int tries = 0; hazard[0] == old || hazard[1] == old; ++tries)
                 if (tries == 3) return;
               delete old;
             }
           });
}
