// A static object starts a thread before main, which is not under control: JOINED it is over when main begins,
// otherwise main waits for it.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  int jobs = 0;
  std::thread thread{[this] {
    std::unique_lock lock(mutex);
#ifdef JOINED
    jobs = 1;
#endif
    changed.wait(lock, [this] { return jobs != 0; });
    jobs = 0;
    changed.notify_all();
  }};
#ifdef JOINED
  Worker() { thread.join(); }
#else
  ~Worker() { thread.join(); }
#endif
} worker;

}  // namespace

int main() {
#ifdef JOINED
  std::thread([] { worker.jobs = 1; }).join();
  return worker.jobs != 1;
#else
  std::unique_lock lock(worker.mutex);
  worker.jobs = 1;
  worker.changed.notify_all();
  worker.changed.wait(lock, [] { return worker.jobs == 0; });
#endif
}
