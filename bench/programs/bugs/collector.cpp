// After a bug of a script engine: a thread gives its context up while a collection waits for all contexts in use.
#include "harness.hpp"
int main() {
  std::mutex lock;
  std::condition_variable stopped, resumed;
  int requests = 2;
  bool collecting = false;
  auto mutate = [&] {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock g(lock);
      while (collecting) resumed.wait(g);
      ++requests;
      g.unlock();
      g.lock();
      if (collecting) {
        --requests;
        stopped.notify_one();
        while (collecting) resumed.wait(g);
      } else {
        --requests;
      }
    }
    std::unique_lock g(lock);
    const bool last = requests == 1;  // taken for the only one
    g.unlock();
    g.lock();
    --requests;
    if (!last) return;
    stopped.notify_one();
  };
  together(mutate, mutate, [&] {
    std::unique_lock g(lock);
    collecting = true;
    while (requests > 0) stopped.wait(g);
    collecting = false;
    resumed.notify_all();
  });
}
