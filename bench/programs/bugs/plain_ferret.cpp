// After ferret: the last worker of a pipeline stage says that it is the last one, counting without a lock.
#include <deque>
#include "harness.hpp"
constexpr int kWorkers = 3;
std::mutex m;
std::condition_variable changed;
std::deque<int> in, out;
bool in_done = false, out_done = false;
int finished = 0;
int main() {
  auto work = [] {
    while (true) {
      std::unique_lock g(m);
      while (in.empty() && !in_done) changed.wait(g);
      if (in.empty()) break;
      const int item = in.front();
      in.pop_front();
      g.unlock();
      g.lock();
      out.push_back(item * 2);
      changed.notify_all();
    }
    if (++finished == kWorkers) {
      std::scoped_lock g(m);
      out_done = true;
      changed.notify_all();
    }
  };
  std::thread workers[] = {std::thread(work), std::thread(work), std::thread(work)};
  std::thread sink([] {
    std::unique_lock g(m);
    while (!out_done || !out.empty()) {
      if (out.empty()) {
        changed.wait(g);
        continue;
      }
      out.pop_front();
    }
  });
  for (int i = 0; i < 3; ++i) {
    std::scoped_lock g(m);
    in.push_back(i);
    changed.notify_all();
  }
  {
    std::scoped_lock g(m);
    in_done = true;
    changed.notify_all();
  }
  for (auto& t : workers) t.join();
  sink.join();
}
