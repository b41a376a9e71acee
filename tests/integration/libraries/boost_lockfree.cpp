// Boost.Lockfree: a correct use and a wrong one.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>

#include "library.hpp"

void correct() {
  boost::lockfree::queue<int> queue(4);
  int sum = 0;
  together(
      [&] {
        queue.push(1);
        queue.push(2);
      },
      [&] {
        for (int value, n = 0; n < 2;)
          if (queue.pop(value))
            sum += value, ++n;
          else
            std::this_thread::yield();
      });
  assert(sum == 3);
}

void misused() {  // two producers on a queue for one
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> queue;
  together([&] { queue.push(1); }, [&] { queue.push(2); });
  int n = 0;
  for (int value; queue.pop(value);) ++n;
  assert(n == 2);
}
