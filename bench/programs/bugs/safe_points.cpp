// A collector asks everybody to stop; one that has just left a safe point goes on without looking.
#include "harness.hpp"
int main() {
  std::atomic<int> wanted = 0, stopped = 0, heap = 0, moving = 0;
  auto mutator = [&](int) {
    for (int i = 0; i < 3; ++i) {
      if (wanted) {
        ++stopped;
        while (wanted) std::this_thread::yield();
        --stopped;
      }
      assert(!moving);
      ++heap;
    }
    ++stopped;
  };
  together([&] { mutator(0); }, [&] { mutator(1); },
           [&] {
             for (int round = 0; round < 2; ++round) {
               wanted = 1;
               while (stopped < 2) std::this_thread::yield();
               moving = 1;
               moving = 0;
               wanted = 0;
             }
           });
}
