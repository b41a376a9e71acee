// A pool that sorts by splitting: a worker that finds no work leaves if nobody is busy, but a busy one says it is done
// before it has handed over the halves.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int workers = number(argc, argv, 3);
  std::mutex m;
  std::vector<int> ranges{4};  // lengths still to sort
  int busy = 0, sorted = 0;
  std::atomic<int> gone = 0;
  together_n(workers, [&](int) {
    for (;;) {
      m.lock();
      if (ranges.empty()) {
        const bool over = busy == 0;
        m.unlock();
        if (over) break;
        std::this_thread::yield();
        continue;
      }
      const int length = ranges.back();
      ranges.pop_back();
      ++busy;
      m.unlock();
      m.lock();
      --busy;
      if (length == 1) ++sorted;
      m.unlock();
      if (length == 1) continue;
      std::scoped_lock guard(m);
      assert(gone == 0);
      ranges.push_back(length / 2);
      ranges.push_back(length - length / 2);
    }
    ++gone;
  });
}
