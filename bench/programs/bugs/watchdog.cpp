// A watchdog restarts a worker that has not moved twice in a row; the worker was only slow, and now there are two.
#include "harness.hpp"
int main() {
  std::atomic<int> beat = 0, active = 1, generation = 0;
  auto work = [&](int mine) {
    for (int i = 0; i < 3; ++i) {
      if (generation != mine) {
        --active;
        return;
      }
      ++beat;
    }
    if (generation == mine) --active;
  };
  std::thread second;
  std::thread first([&] { work(0); });
  std::thread dog([&] {
    int last = beat;
    int still = 0;
    for (int i = 0; i < 3; ++i) {
      const int now = beat;
      still = now == last ? still + 1 : 0;
      last = now;
      if (still == 2 && active == 1 && beat > 0 && beat < 3) {
        ++generation;
        ++active;
        assert(active <= 2);
        second = std::thread([&] { work(1); });
        break;
      }
    }
  });
  first.join();
  dog.join();
  if (second.joinable()) second.join();
  assert(active == 0);
}
