// Four threads move items between two counters; the auditor adds both up at the wrong moment, late in a long run.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int rounds = number(argc, argv, 15);
  std::mutex m[2];
  std::atomic<int> count[2] = {50, 50};
  auto move = [&](int from) {
    for (int i = 0; i < rounds; ++i) {
      {
        std::scoped_lock g(m[from]);
        --count[from];
      }
      {
        std::scoped_lock g(m[1 - from]);
        ++count[1 - from];
      }
    }
  };
  std::atomic<int> low = 100;
  together([&] { move(0); }, [&] { move(0); }, [&] { move(0); },
           [&] {
             for (int i = 0; i < rounds; ++i) {
               std::scoped_lock g(m[0], m[1]);
               low = std::min(low.load(), count[0] + count[1]);
             }
           });
  assert(low > 97);  // all three between the two counters at once
}
