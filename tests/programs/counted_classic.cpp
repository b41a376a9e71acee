// Lock-free structures, what papers on partial order reduction count, litmus tests: ./counted_classic NAME
#include <atomic>
#include <mutex>
#include <thread>

#include "named.hpp"

namespace {

std::atomic<int> x, y, z, count;

// --- lock-free structures

struct Item {
  std::atomic<Item*> next{nullptr};
};
Item items[4];
std::atomic<Item*> top, head, last;
void push(Item* item) {
  Item* seen = top;
  do item->next.store(seen);
  while (!top.compare_exchange_weak(seen, item));
}
Item* pop() {
  Item* seen = top;
  while (seen && !top.compare_exchange_weak(seen, seen->next.load())) {
  }
  return seen;
}
void treiber_pops() {
  items[1].next = &items[0];
  top = &items[1];
  together([] { pop(); }, [] { pop(); });
}
void treiber_mixed() {
  top = &items[0];
  together([] { push(&items[1]); }, [] { pop(); });
}
void enqueue(Item* item) {
  for (;;) {
    Item* at = last;
    Item* next = at->next;
    if (next) {
      last.compare_exchange_strong(at, next);
    } else if (at->next.compare_exchange_strong(next, item)) {
      last.compare_exchange_strong(at, item);
      return;
    }
  }
}
void dequeue() {
  for (;;) {
    Item* first = head;
    Item* at = last;
    Item* next = first->next;
    if (!next) return;
    if (first == at)
      last.compare_exchange_strong(at, next);
    else if (head.compare_exchange_strong(first, next))
      return;
  }
}
void michael_scott_enqueues() {
  head = last = &items[0];
  together([] { enqueue(&items[1]); }, [] { enqueue(&items[2]); });
}
void michael_scott_mixed() {
  head = last = &items[0];
  together([] { enqueue(&items[1]); }, [] { dequeue(); });
}
void ring_of_one() {
  together(
      [] {
        for (int i = 0; i < 2; ++i) {
          while (x != 0) {
          }
          y.store(i);
          x = 1;
        }
      },
      [] {
        for (int i = 0; i < 2; ++i) {
          while (x != 1) {
          }
          (void)y.load();
          x = 0;
        }
      });
}
void stolen_from() {  // The owner takes from one end, a thief from the other (Chase & Lev).
  x = 0, y = 2;       // top, bottom
  together(
      [] {
        const int b = y.fetch_sub(1) - 1;
        int t = x;
        if (t < b) return;
        if (t == b) x.compare_exchange_strong(t, t + 1);
        y = b + 1;
      },
      [] {
        int t = x;
        if (t < y) x.compare_exchange_strong(t, t + 1);
      });
}
void hazard_pointer() {
  static std::atomic<Item*> hazard;
  top = &items[0];
  together(
      [] {
        Item* seen;
        do {
          seen = top;
          hazard = seen;
        } while (seen != top);
        if (seen) (void)seen->next.load();
        hazard = nullptr;
      },
      [] {
        Item* old = top.exchange(nullptr);
        while (hazard == old) {
        }
      });
}

// --- what papers count

void casrot(int n) {
  many(n, [](int me) {
    int expected = me;
    x.compare_exchange_strong(expected, me + 1);
  });
}
void casrot_3() { casrot(3); }
void casrot_4() { casrot(4); }
std::mutex m[4];
std::mutex all;
void sigma() {  // each thread sums up into its own place under a lock
  many(3, [](int) {
    const int place = x.fetch_add(1);
    std::lock_guard lock(m[place]);
    y.fetch_add(place);
  });
}
void float_read() {  // one writes, the others write elsewhere first and read last
  many(3, [](int me) {
    if (me == 0) {
      x = 1;
      return;
    }
    (me == 1 ? y : z).store(1);
    (void)x.load();
  });
}
void last_zero() {
  static std::atomic<int> array[4];
  many(4, [](int me) {
    if (me > 0) {
      array[me] = array[me - 1] + 1;
      return;
    }
    int i = 3;
    while (array[i] != 0) --i;
  });
}
void indexer() {
  static std::atomic<int> table[4];
  many(3, [](int me) {
    for (int i = 0; i < 2; ++i) {
      int at = (me * 2 + i * 3) % 4, none = 0;
      while (!table[at].compare_exchange_strong(none, me + 1)) none = 0, at = (at + 1) % 4;
      if (i == 0 && me == 2) return;
    }
  });
}
void filesystem() {
  static int inode[2];
  static bool busy[3];
  many(3, [](int me) {
    const int i = me % 2;
    std::lock_guard lock(m[i]);
    if (inode[i]) return;
    for (int b = i;; b = (b + 1) % 3) {
      std::lock_guard block(m[2 + b % 2]);
      if (busy[b]) continue;
      busy[b] = true;
      inode[i] = b + 1;
      return;
    }
  });
}
void account() {
  static int balance = 10;
  const auto change = [](int by) {
    return [by] {
      std::lock_guard lock(all);
      balance += by;
    };
  };
  together(change(5), change(-3), [] {
    std::lock_guard lock(all);
    assert(balance >= 0);
  });
}
void account_read_and_written_apart() {
  const auto change = [](int by) {
    return [by] {
      all.lock();
      const int seen = x;
      all.unlock();
      all.lock();
      x = seen + by;
      all.unlock();
    };
  };
  together(change(5), change(-3));
}
void fibonacci() {
  x = y = 1;
  together([] { x = x + y; }, [] { y = y + x; });
}
void fibonacci_locked() {
  static int i = 1, j = 1;
  together(
      [] {
        for (int k = 0; k < 2; ++k) {
          std::lock_guard lock(all);
          i += j;
        }
      },
      [] {
        for (int k = 0; k < 2; ++k) {
          std::lock_guard lock(all);
          j += i;
        }
      });
}
void philosophers_that_try() {
  many(2, [](int me) {
    std::unique_lock left(m[me]);
    std::unique_lock right(m[1 - me], std::try_to_lock);
    if (right) x.store(me);
  });
}
void philosophers_of_three() {
  many(3, [](int me) {
    const int low = me == 2 ? 0 : me, high = me == 2 ? 2 : me + 1;
    std::scoped_lock one(m[low]), two(m[high]);
  });
}
int fork_join(int n) {
  if (n < 2) return x.fetch_add(1);
  std::thread left([n] { fork_join(n - 1); });
  fork_join(n - 2);
  left.join();
  return 0;
}
void forked_and_joined() { fork_join(3); }

// --- litmus tests, sequentially consistent

void message_passing() {
  together([] { x = 1, y = 1; }, [] { (void)y.load(), (void)x.load(); });
}
void load_buffering() {
  together([] { (void)x.load(), y = 1; }, [] { (void)y.load(), x = 1; });
}
void two_and_two_writes() {
  together([] { x = 1, y = 2; }, [] { y = 1, x = 2; });
}
void independent_reads() {
  together([] { x = 1; }, [] { y = 1; }, [] { (void)x.load(), (void)y.load(); },
           [] { (void)y.load(), (void)x.load(); });
}
void write_to_read() {
  together([] { x = 1; }, [] { (void)x.load(), y = 1; }, [] { (void)y.load(), (void)x.load(); });
}
void read_read_coherence() {
  together([] { x = 1; }, [] { x = 2; }, [] { (void)x.load(), (void)x.load(); });
}
void read_by_three() {
  together([] { x = 1; }, [] { (void)x.load(); }, [] { (void)x.load(); }, [] { (void)x.load(); });
}
void ring_of_three() {
  together([] { x = 1, (void)y.load(); }, [] { y = 1, (void)z.load(); }, [] { z = 1, (void)x.load(); });
}
void written_by_three_read_by_one() {
  together([] { x = 1; }, [] { x = 2; }, [] { x = 3; }, [] { (void)x.load(); });
}

constexpr Named kPrograms[] = {
    NAMED(treiber_pops),
    NAMED(treiber_mixed),
    NAMED(michael_scott_enqueues),
    NAMED(michael_scott_mixed),
    NAMED(ring_of_one),
    NAMED(stolen_from),
    NAMED(hazard_pointer),
    NAMED(casrot_3),
    NAMED(casrot_4),
    NAMED(sigma),
    NAMED(float_read),
    NAMED(last_zero),
    NAMED(indexer),
    NAMED(filesystem),
    NAMED(account),
    NAMED(account_read_and_written_apart),
    NAMED(fibonacci),
    NAMED(fibonacci_locked),
    NAMED(philosophers_that_try),
    NAMED(philosophers_of_three),
    NAMED(forked_and_joined),
    NAMED(message_passing),
    NAMED(load_buffering),
    NAMED(two_and_two_writes),
    NAMED(independent_reads),
    NAMED(write_to_read),
    NAMED(read_read_coherence),
    NAMED(read_by_three),
    NAMED(ring_of_three),
    NAMED(written_by_three_read_by_one),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
