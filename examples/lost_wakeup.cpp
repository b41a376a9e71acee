// A notification that comes before the wait.
//
// The flag is set without holding the mutex. That can happen after the waiter has seen the flag unset and before it
// waits: nobody is notified, and the waiter, though it does everything right, sleeps forever. Making the flag atomic
// does not help; setting it under the mutex does. One preemption.
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
std::atomic<bool> ready{false};

void wait_until_ready() {
  std::unique_lock lock(mutex);
  while (!ready.load()) changed.wait(lock);
}

void set_ready() {
  ready.store(true);  // std::lock_guard lock(mutex); belongs above this line
  changed.notify_one();
}

int main() {
  std::thread waiter(wait_until_ready);
  std::thread setter(set_ready);
  waiter.join();
  setter.join();
  assert(ready.load());
}
