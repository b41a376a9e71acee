// After a bug of NSPR: a cached monitor is taken from the cache while its last user is on the way out, who then wakes
// nobody.
#include "harness.hpp"
int main() {
  struct Monitor {
    std::mutex m;
    std::condition_variable c;
    std::atomic<int> users = 0;
    std::atomic<int> key = 0;
  };
  Monitor cache[2];
  std::mutex lock;
  auto enter = [&](int key) {
    std::scoped_lock g(lock);
    for (Monitor& mon : cache)
      if (mon.key == key) {
        ++mon.users;
        return &mon;
      }
    for (Monitor& mon : cache)
      if (mon.users == 0) {
        mon.key = key;
        ++mon.users;
        return &mon;
      }
    return static_cast<Monitor*>(nullptr);
  };
  auto leave = [&](Monitor* mon) {
    if (--mon->users == 0) mon->key = 0;  // without the lock: another may have come in between
  };
  std::atomic<bool> ready = false;
  together(
      [&] {
        Monitor* mon = enter(1);
        assert(mon);
        {
          std::unique_lock g(mon->m);
          while (!ready) mon->c.wait(g);
        }
        leave(mon);
      },
      [&] {
        Monitor* mon = enter(1);
        assert(mon);
        leave(mon);
        mon = enter(1);
        assert(mon);
        {
          std::scoped_lock g(mon->m);
          ready = true;
          mon->c.notify_all();
        }
        leave(mon);
      },
      [&] {
        Monitor* mon = enter(2);
        if (mon) leave(mon);
      });
}
