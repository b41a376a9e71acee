// Mutual exclusion by loads, stores and read-modify-writes: ./counted_locks NAME
#include <atomic>
#include <thread>
#include <utility>

#include "named.hpp"

namespace {

std::atomic<int> x, y, z, turn, count, inside;
std::atomic<bool> flag[3];

void critical() { inside.fetch_add(1), inside.fetch_sub(1); }

// --- mutual exclusion by loads and stores; who spins waits

void peterson() {
  many(2, [](int me) {
    flag[me] = true;
    turn = 1 - me;
    while (flag[1 - me] && turn == 1 - me) {
    }
    critical();
    flag[me] = false;
  });
}
void dekker() {
  many(2, [](int me) {
    flag[me] = true;
    while (flag[1 - me]) {
      if (turn == me) continue;
      flag[me] = false;
      while (turn != me) {
      }
      flag[me] = true;
    }
    x.store(me);
    turn = 1 - me;
    flag[me] = false;
  });
}
void lamport_fast_once() {  // one attempt by the fast path each
  many(2, [](int me) {
    flag[me] = true;
    x = me + 1;
    if (y != 0) {
      flag[me] = false;
      return;
    }
    y = me + 1;
    if (x == me + 1) {
      z.store(me);
      y = 0;
    }
    flag[me] = false;
  });
}
void burns() {
  many(2, [](int me) {
    if (me == 0) {
      flag[0] = true;
      while (flag[1]) {
      }
    } else {
      for (;;) {
        flag[1] = false;
        while (flag[0]) {
        }
        flag[1] = true;
        if (!flag[0]) break;
      }
    }
    x.store(me);
    flag[me] = false;
  });
}
std::atomic<int> number[2];
void bakery() {
  many(2, [](int me) {
    const int other = 1 - me;
    flag[me] = true;
    number[me] = number[other] + 1;
    flag[me] = false;
    while (flag[other]) {
    }
    while (number[other] != 0 && std::pair(number[other].load(), other) < std::pair(number[me].load(), me)) {
    }
    x.store(me);
    number[me] = 0;
  });
}

// --- locks by read-modify-write

void test_and_set() {
  many(2, [](int me) {
    while (x.exchange(1)) {
    }
    y.store(me);
    x = 0;
  });
}
void test_and_test_and_set() {
  many(2, [](int me) {
    do {
      while (x) {
      }
    } while (x.exchange(1));
    y.store(me);
    x = 0;
  });
}
void tickets_of_three() {
  many(3, [](int me) {
    const int mine = x.fetch_add(1);
    while (y != mine) {
    }
    z.store(me);
    y = mine + 1;
  });
}
struct QueueNode {
  std::atomic<QueueNode*> next{nullptr};
  std::atomic<bool> locked{false};
};
std::atomic<QueueNode*> tail;
QueueNode nodes[4];
void mcs_lock() {
  tail = nullptr;
  many(2, [](int me) {
    QueueNode& mine = nodes[me];
    if (QueueNode* before = tail.exchange(&mine)) {
      mine.locked = true;
      before->next = &mine;
      while (mine.locked) {
      }
    }
    x.store(me);
    if (!mine.next) {
      QueueNode* last = &mine;
      if (tail.compare_exchange_strong(last, nullptr)) return;
      while (!mine.next) {
      }
    }
    mine.next.load()->locked = false;
  });
}
void clh_lock() {
  tail = &nodes[3];
  many(2, [](int me) {
    QueueNode& mine = nodes[me];
    mine.locked = true;
    QueueNode* before = tail.exchange(&mine);
    while (before->locked) {
    }
    x.store(me);
    mine.locked = false;
  });
}
void readers_and_writer_by_counter() {  // -1: somebody writes
  const auto read = [](int) {
    for (;;) {
      int readers = x;
      if (readers >= 0 && x.compare_exchange_strong(readers, readers + 1)) break;
    }
    (void)y.load();
    x.fetch_sub(1);
  };
  const auto write = [](int) {
    int none = 0;
    while (!x.compare_exchange_strong(none, -1)) none = 0;
    y.store(1);
    x = 0;
  };
  many(2, [=](int me) { me ? write(me) : read(me); });
}
void sense_reversing_barrier() {
  many(2, [](int) {
    const bool sense = !flag[0];
    if (count.fetch_add(1) == 1) {
      count = 0;
      flag[0] = sense;
    } else {
      while (flag[0] != sense) {
      }
    }
  });
}
void sequence_lock_until_read() {
  together(
      [] {
        x = 1;
        y = 1, z = 1;
        x = 2;
      },
      [] {
        for (;;) {
          const int before = x;
          if (before & 1) continue;
          (void)y.load(), (void)z.load();
          if (x == before) break;
        }
      });
}
void asked_before_waiting() {  // Park and unpark with a permit.
  together(
      [] {
        while (x.exchange(0) == 0) {
        }
        y.store(1);
      },
      [] { x = 1; }, [] { (void)y.load(); });
}

constexpr Named kPrograms[] = {
    NAMED(peterson),
    NAMED(dekker),
    NAMED(lamport_fast_once),
    NAMED(burns),
    NAMED(bakery),
    NAMED(test_and_set),
    NAMED(test_and_test_and_set),
    NAMED(tickets_of_three),
    NAMED(mcs_lock),
    NAMED(clh_lock),
    NAMED(readers_and_writer_by_counter),
    NAMED(sense_reversing_barrier),
    NAMED(sequence_lock_until_read),
    NAMED(asked_before_waiting),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
