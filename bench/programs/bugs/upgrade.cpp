// Two readers that both want to write: each waits for the other to stop reading.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable left;
  int readers = 0;
  std::atomic<int> version = 0;
  auto body = [&] {
    std::unique_lock lock(m);
    ++readers;
    lock.unlock();
    const int seen = version;
    lock.lock();
    while (readers > 1) left.wait(lock);
    version = seen + 1;
    --readers;
    left.notify_all();
  };
  together(body, body);
}
