// After a connection pool: returning an object locks pool and object, evicting one locks them the other way round.
#include "harness.hpp"
int main() {
  struct Connection {
    std::mutex m;
    std::atomic<bool> idle = false;
  };
  Connection c[3];
  std::mutex pool;
  std::atomic<int> idle = 0;
  auto give_back = [&](Connection& x) {
    std::scoped_lock g(x.m);
    x.idle = true;
    std::scoped_lock p(pool);
    ++idle;
  };
  auto evict = [&] {
    std::scoped_lock p(pool);
    if (idle < 2) return;
    for (Connection& x : c)
      if (x.idle) {
        std::scoped_lock g(x.m);
        x.idle = false;
        --idle;
      }
  };
  together([&] { give_back(c[0]); }, [&] { give_back(c[1]); }, [&] { give_back(c[2]); }, evict);
}
