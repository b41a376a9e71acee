// moodycamel's light-weight semaphore. Seeded: a unit is taken by a store where a compare-and-swap was.
#include <concurrentqueue/concurrentqueue.h>
#include <concurrentqueue/lightweightsemaphore.h>

#include "../../programs/bugs/harness.hpp"
int main() {
  moodycamel::LightweightSemaphore semaphore(1);
  std::atomic<int> inside = 0;
  auto use = [&] {
    if (!semaphore.tryWait()) return;
    assert(inside.fetch_add(1) == 0);
    --inside;
    semaphore.signal();
  };
  together(use, use, use);
}
