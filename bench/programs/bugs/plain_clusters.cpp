// After streamcluster: a thread reads the table that thread 0 fills before it has waited for it.
#include "harness.hpp"
constexpr int kThreads = 4;
int table[8], cost[kThreads];
bool open_ = false;
std::mutex m;
std::condition_variable all;
int arrived = 0, round_ = 0;
void barrier() {
  std::unique_lock g(m);
  const int mine = round_;
  if (++arrived == kThreads) {
    arrived = 0;
    ++round_;
    all.notify_all();
  } else {
    while (round_ == mine) all.wait(g);
  }
}
int main() {
  together_n(kThreads, [](int me) {
    cost[me] = me;
    barrier();
    if (me == 0) {
      for (int i = 0; i < 8; ++i) table[i] = i + 1;
      std::scoped_lock g(m);
      open_ = true;
    }
    int sum = 0;
    if (me != 0) {
      bool is_open;
      {
        std::scoped_lock g(m);
        is_open = open_;
      }
      if (!is_open && me == 3) barrier();  // waits for everybody, who will not come before the end
      if (is_open)
        for (int t : table) sum += t;
      if (is_open) assert(sum == 36);
    }
    if (me != 3) barrier();
  });
}
