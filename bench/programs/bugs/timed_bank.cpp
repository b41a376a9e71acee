// Two-phase commit: the coordinator gives up by timeout while the second vote is on its way.
#include <chrono>
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable voted;
  int votes = 0;
  bool aborted = false, committed[2] = {};
  auto node = [&](int me) {
    std::unique_lock g(m);
    ++votes;
    voted.notify_all();
    if (votes == 2 && !aborted) committed[me] = true;
    g.unlock();
    g.lock();
    if (votes == 2 && !aborted) committed[me] = true;
  };
  std::thread a(node, 0), b(node, 1);
  {
    std::unique_lock g(m);
    if (!voted.wait_for(g, std::chrono::milliseconds(5), [&] { return votes == 2; })) aborted = true;
  }
  a.join();
  b.join();
  assert(!(aborted && (committed[0] || committed[1])));
  assert(aborted || (committed[0] && committed[1]));
}
