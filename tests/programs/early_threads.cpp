// A static object starts a thread before main. JOINED: it is over when main begins; LOST: main may wake it before it
// waits; otherwise main and it wait for each other as they should. LIBRARY, MAIN: the object is in a library.
#include <condition_variable>
#include <mutex>
#include <thread>

#ifndef MAIN
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
#ifdef LOST
    changed.wait(lock);
#else
    changed.wait(lock, [this] { return jobs != 0; });
#endif
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
#endif

#ifndef LIBRARY
int main() {
#ifdef MAIN
  std::thread([] {}).join();
#elif defined(JOINED)
  std::thread([] { worker.jobs = 1; }).join();
  return worker.jobs != 1;
#else
  std::unique_lock lock(worker.mutex);
  worker.jobs = 1;
  worker.changed.notify_all();
  worker.changed.wait(lock, [] { return worker.jobs == 0; });
#endif
}
#endif
