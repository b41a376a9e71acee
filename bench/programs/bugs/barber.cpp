// A sleeping barber who says that he sleeps before he looks whether somebody waits: one who came in between is not
// served, because only a customer who finds him asleep wakes him.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable wake, next;
  int waiting = 0, served = 0;
  bool asleep = false;
  std::thread barber([&] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock g(m);
      const bool nobody = waiting == 0;
      g.unlock();
      g.lock();
      if (nobody) {
        asleep = true;
        wake.wait(g);
      }
      --waiting;
      ++served;
      next.notify_all();
    }
  });
  together_n(3, [&](int) {
    std::unique_lock g(m);
    const int mine = served + ++waiting;
    if (asleep) {
      asleep = false;
      wake.notify_one();
    }
    while (served < mine) next.wait(g);
  });
  barber.join();
}
