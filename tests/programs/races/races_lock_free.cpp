// Correct lock-free algorithms, with the memory orders they need: nothing may be reported in any of them.
#include <map>

#include "races.hpp"

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;

int x, y;
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

// --- lock-free algorithms with the orders they need ---

struct Node {
  int value;
  Node* next;
};

void treiber_stack() {
  static std::atomic<Node*> head;
  head = nullptr;
  auto push = [](int v) {
    Node* n = new Node{v, head.load(kRelaxed)};
    while (!head.compare_exchange_weak(n->next, n, kRelease, kRelaxed)) {
    }
  };
  together([&] { push(1); },
           [] {
             Node* all = head.exchange(nullptr, kAcquire);
             for (; all; all = all->next) sink(all->value);
           },
           [&] { push(2); });
}

void ring_buffer() {
  static int slot[2];
  static std::atomic<unsigned> head, tail;
  head = tail = 0;
  together(
      [] {
        for (unsigned i = 0; i < 3; ++i) {
          while (i - tail.load(kAcquire) == 2) std::this_thread::yield();
          slot[i % 2] = static_cast<int>(i);
          head.store(i + 1, kRelease);
        }
      },
      [] {
        for (unsigned i = 0; i < 3; ++i) {
          while (head.load(kAcquire) == i) std::this_thread::yield();
          sink(slot[i % 2]);
          tail.store(i + 1, kRelease);
        }
      });
}

void sequence_lock() {
  static std::atomic<unsigned> version;
  static std::atomic<int> a, b;
  version = 0;
  together(
      [] {
        version.fetch_add(1, kAcquire);
        a.store(1, kRelaxed);
        b.store(1, kRelaxed);
        version.fetch_add(1, kRelease);
      },
      [] {
        const unsigned before = version.load(kAcquire);
        const int sum = a.load(kRelaxed) + b.load(kRelaxed);
        std::atomic_thread_fence(kAcquire);
        if (!(before & 1) && version.load(kRelaxed) == before && sum == 1) std::abort();
      });
}

void hazard_pointers() {
  static std::atomic<Node*> shared, hazard;
  shared = new Node{1, nullptr};
  hazard = nullptr;
  together(
      [] {
        Node* p = shared.load();
        for (;;) {
          hazard = p;
          Node* again = shared.load();
          if (again == p) break;
          p = again;
        }
        sink(p->value);
        hazard = nullptr;
      },
      [] {
        Node* old = shared.exchange(new Node{2, nullptr});
        if (hazard.load() != old) delete old;
      });
}

void read_copy_update() {
  static std::atomic<std::map<int, int>*> current;
  static std::atomic<int> readers;
  auto* first = new std::map<int, int>{{1, 1}};
  current = first;
  readers = 0;
  together(
      [] {
        readers.fetch_add(1);
        sink(static_cast<long>(current.load()->size()));
        readers.fetch_sub(1);
      },
      [=] {
        auto* next = new std::map<int, int>(*first);
        (*next)[2] = 2;
        current.store(next);
        for (int i = 0; i < 2 && readers.load() != 0; ++i) std::this_thread::yield();
        if (readers.load() == 0) delete first;
      });
}

void double_checked_locking() {
  static std::atomic<std::string*> instance;
  instance = nullptr;
  auto get = []() -> std::string& {
    std::string* p = instance.load(kAcquire);
    if (!p) {
      std::lock_guard l(m);
      p = instance.load(kRelaxed);
      if (!p) {
        p = new std::string("made once");
        instance.store(p, kRelease);
      }
    }
    return *p;
  };
  together([&] { sink(static_cast<long>(get().size())); }, [&] { sink(static_cast<long>(get().size())); });
}

void ticket_lock() {
  static std::atomic<int> next, serving;
  next = serving = 0;
  auto use = [] {
    const int mine = next.fetch_add(1, kRelaxed);
    while (serving.load(kAcquire) != mine) std::this_thread::yield();
    x++;
    serving.store(mine + 1, kRelease);
  };
  together(use, use);
}

void peterson_lock() {
  static std::atomic<bool> wants[2];
  static std::atomic<int> turn;
  wants[0] = wants[1] = false;
  auto use = [](int me) {
    wants[me] = true;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me) std::this_thread::yield();
    x++;
    wants[me] = false;
  };
  together([&] { use(0); }, [&] { use(1); });
}

void fences_and_flags() {
  static std::atomic<int> flag;
  flag = 0;
  together(
      [] {
        x = 1;
        y = 2;
        std::atomic_thread_fence(kRelease);
        flag.store(1, kRelaxed);
      },
      [] {
        while (flag.load(kRelaxed) == 0) std::this_thread::yield();
        std::atomic_thread_fence(kAcquire);
        sink(x + y);
      });
}

void atomic_references() {
  static int counter;
  counter = 0;
  together([] { std::atomic_ref(counter).fetch_add(1, kRelaxed); },
           [] { std::atomic_ref(counter).fetch_add(1, kRelaxed); });
  sink(counter);
}

void reference_count() {
  struct Object {
    std::atomic<int> count{2};
    std::string text = "kept by two";
  };
  auto* o = new Object;
  auto drop = [o] {
    sink(static_cast<long>(o->text.size()));
    if (o->count.fetch_sub(1, kRelease) == 1) {
      std::atomic_thread_fence(kAcquire);
      delete o;
    }
  };
  together(drop, drop);
}

void wide_atomic() {
  struct Pair {
    long a, b;
  };
  static std::atomic<Pair> pair;
  pair.store({0, 0});
  together(
      [] {
        x = 1;
        pair.store({1, 1}, kRelease);
      },
      [] {
        if (pair.load(kAcquire).a) sink(x);
      });
}

void odd_sized_atomic() {
  struct Odd {
    char c[3];
  };
  static std::atomic<Odd> odd;
  odd.store({});
  together(
      [] {
        x = 1;
        odd.store({{1, 1, 1}}, kRelease);
      },
      [] {
        if (odd.load(kAcquire).c[0]) sink(x);
      });
}

void old_builtins() {
  static int lock;
  lock = 0;
  auto use = [] {
    while (__sync_lock_test_and_set(&lock, 1)) std::this_thread::yield();
    x++;
    __sync_lock_release(&lock);
  };
  together(use, use);
}

void consume_order() {
  static std::atomic<Node*> p;
  p = nullptr;
  together(
      [] {
        p.store(new Node{1, nullptr}, kRelease);
      },
      [] {
        if (Node* n = p.load(std::memory_order_consume)) sink(n->value);
      });
}

void modified_in_between() {
  static std::atomic<int> a;
  a = 0;
  together(
      [] {
        x = 1;
        a.store(1, kRelease);
      },
      [] { a.fetch_add(2, kRelaxed); },
      [] {
        if (a.load(kAcquire) == 3) sink(x);
      });
}

void exchange_as_lock() {
  static std::atomic<int> lock;
  lock = 0;
  auto use = [] {
    while (lock.exchange(1, kAcqRel)) std::this_thread::yield();
    x++;
    lock.store(0, kRelease);
  };
  together(use, use);
}

const Case kCases[] = {
    {"treiber_stack", false, treiber_stack, 0, 0},
    {"ring_buffer", false, ring_buffer, 0, 0},
    {"sequence_lock", false, sequence_lock, 0, 0},
    {"hazard_pointers", false, hazard_pointers, 0, 0},
    {"read_copy_update", false, read_copy_update, 0, 0},
    {"double_checked_locking", false, double_checked_locking, 0, 0},
    {"ticket_lock", false, ticket_lock, 0, 0},
    {"peterson_lock", false, peterson_lock, 0, 0},
    {"fences_and_flags", false, fences_and_flags, 0, 0},
    {"atomic_references", false, atomic_references, 0, 0},
    {"reference_count", false, reference_count, 0, 0},
    {"wide_atomic", false, wide_atomic, 0, 0},
    {"odd_sized_atomic", false, odd_sized_atomic, 0, 0},
    {"old_builtins", false, old_builtins, 0, 0},
    {"consume_order", false, consume_order, 0, 0},
    {"modified_in_between", false, modified_in_between, 0, 0},
    {"exchange_as_lock", false, exchange_as_lock, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
