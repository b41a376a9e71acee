// moodycamel::ConcurrentQueue: a correct use and a wrong one.
#include <concurrentqueue/concurrentqueue.h>

#include "library.hpp"

void correct() {
  moodycamel::ConcurrentQueue<int> queue;
  int sum = 0;
  together(
      [&] {
        queue.enqueue(1);
        queue.enqueue(2);
      },
      [&] {
        for (int value, n = 0; n < 2;)
          if (queue.try_dequeue(value))
            sum += value, ++n;
          else
            std::this_thread::yield();
      });
  assert(sum == 3);
}

void misused() {  // relies on an order between producers
  moodycamel::ConcurrentQueue<int> queue;
  std::atomic<int> first{0};
  auto produce = [&](int mine) {
    int none = 0;
    queue.enqueue(mine);
    first.compare_exchange_strong(none, mine);
  };
  together([&] { produce(1); }, [&] { produce(2); });
  int value = 0;
  assert(queue.try_dequeue(value) && value == first);
}
