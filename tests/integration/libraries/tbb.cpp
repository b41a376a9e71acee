// oneTBB: a correct use and a wrong one.
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include "library.hpp"

void correct() {
  tbb::concurrent_queue<int> queue;
  int sum = 0;
  together(
      [&] {
        queue.push(1);
        queue.push(2);
      },
      [&] {
        for (int value, n = 0; n < 2;)
          if (queue.try_pop(value))
            sum += value, ++n;
          else
            std::this_thread::yield();
      });
  assert(sum == 3);
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  std::atomic<int> done{0};
  tbb::task_group group;
  group.run([&] { ++done; });
  group.run([&] { ++done; });
  group.wait();
  assert(done == 2);
}

void misused() {  // looks, then takes: another consumer may be faster
  tbb::concurrent_queue<int> queue;
  queue.push(1);
  auto take = [&] {
    int value = 0;
    if (!queue.empty()) assert(queue.try_pop(value));
  };
  together(take, take);
}
