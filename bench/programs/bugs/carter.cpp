// Two counters of users, each with a lock; who comes first takes the resource, and takes it before giving the counter
// back.
#include "harness.hpp"
int main() {
  std::mutex count_lock, resource;
  std::atomic<int> a = 0, b = 0;
  auto use = [&](std::atomic<int>& users) {
    count_lock.lock();
    if (++users == 1) resource.lock();
    count_lock.unlock();
    count_lock.lock();
    if (--users == 0) resource.unlock();
    count_lock.unlock();
  };
  together([&] { use(a); }, [&] { use(b); },
           [&] {
             count_lock.lock();
             count_lock.unlock();
           });
}
