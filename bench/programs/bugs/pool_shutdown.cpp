// A pool is shut down: `stop` joins the worker's work under the lock that the worker needs to finish it.
#include "harness.hpp"
int main() {
  std::mutex state, jobs;
  std::condition_variable idle;
  bool running = false;
  std::atomic<bool> stopping = false;
  together(
      [&] {
        if (stopping) return;
        {
          std::scoped_lock guard(jobs);
          running = true;
        }
        state.lock();
        state.unlock();
        std::scoped_lock guard(jobs);
        running = false;
        idle.notify_all();
      },
      [&] {
        std::scoped_lock guard(state);
        stopping = true;
        std::unique_lock lock(jobs);
        while (running) idle.wait(lock);
      });
}
