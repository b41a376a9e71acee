// libcds: a correct use and a wrong one.
#include <cds/container/msqueue.h>
#include <cds/gc/hp.h>
#include <cds/init.h>

#include "library.hpp"

struct Attached {
  Attached() { cds::threading::Manager::attachThread(); }
  ~Attached() { cds::threading::Manager::detachThread(); }
};
using Queue = cds::container::MSQueue<cds::gc::HP, int>;

static void with_queue(void (*body)(Queue&)) {
  cds::Initialize();
  {
    cds::gc::HP hazard_pointers;
    Attached main_thread;
    Queue queue;
    body(queue);
  }
  cds::Terminate();
}

void correct() {
  with_queue([](Queue& queue) {
    int sum = 0;
    together(
        [&] {
          Attached here;
          queue.enqueue(1);
          queue.enqueue(2);
        },
        [&] {
          Attached here;
          for (int value, n = 0; n < 2;)
            if (queue.dequeue(value))
              sum += value, ++n;
            else
              std::this_thread::yield();
        });
    assert(sum == 3);
  });
}

void misused() {
  with_queue([](Queue& queue) {
    queue.enqueue(1);
    auto take = [&] {
      Attached here;
      int value = 0;
      if (!queue.empty()) assert(queue.dequeue(value));
    };
    together(take, take);
  });
}
