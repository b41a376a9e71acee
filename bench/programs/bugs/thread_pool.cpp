// A pool with a queue per worker: a task handed to a worker that is about to sleep is not seen.
#include "harness.hpp"
int main() {
  constexpr int kWorkers = 3;
  std::atomic<int> tasks[kWorkers] = {}, done = 0;
  std::mutex m;
  std::condition_variable wake;
  std::atomic<bool> stop = false;
  auto worker = [&](int me) {
    while (true) {
      for (int i = 0; i < kWorkers; ++i) {
        int n = tasks[(me + i) % kWorkers];
        while (n > 0 && !tasks[(me + i) % kWorkers].compare_exchange_strong(n, n - 1)) {
        }
        if (n > 0) ++done;
      }
      if (done == 4) {
        stop = true;
        std::scoped_lock g(m);
        wake.notify_all();
        return;
      }
      std::unique_lock g(m);
      if (stop) return;
      wake.wait(g);  // what was submitted since the look is forgotten
    }
  };
  std::thread workers([&] { together_n(kWorkers, worker); });
  for (int i = 0; i < 4; ++i) {
    ++tasks[i % kWorkers];
    std::scoped_lock g(m);
    wake.notify_one();
  }
  workers.join();
}
