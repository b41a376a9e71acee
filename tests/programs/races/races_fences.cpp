// Fences, release sequences and what is built of atomics: racy programs and race-free twins.
#include "races.hpp"

namespace {

int x;
std::atomic<int> a{0};
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

void fence_fence() {
  together([] {
    x = 1;
    std::atomic_thread_fence(std::memory_order_release);
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    sink(x);
  });
}

void fence_seq_cst() {
  together([] {
    x = 1;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    sink(x);
  });
}

void fence_release_only() {
  together([] {
    x = 1;  // FIRST
    std::atomic_thread_fence(std::memory_order_release);
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    sink(x);  // SECOND
  });
}

void fence_acquire_only() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    sink(x);  // SECOND
  });
}

void fence_release_acquire_load() {
  together([] {
    x = 1;
    std::atomic_thread_fence(std::memory_order_release);
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);
  });
}

void release_store_acquire_fence() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    sink(x);
  });
}

void fence_too_late() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    sink(x);  // SECOND
  });
}

void release_sequence_rmw() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    int e = 1;
    a.compare_exchange_strong(e, 2, std::memory_order_relaxed);
  }, [] {
    if (a.load(std::memory_order_acquire) == 2) sink(x);
  });
}

void release_sequence_broken() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
    a.store(2, std::memory_order_relaxed);
  }, [] {
    if (a.load(std::memory_order_acquire) == 2)
      sink(x);  // SECOND
  });
}

void release_sequence_other_store() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
  }, [] {
    if (a.load(std::memory_order_relaxed) == 1) a.store(2, std::memory_order_relaxed);
  }, [] {
    if (a.load(std::memory_order_acquire) == 2)
      sink(x);  // SECOND
  });
}

void atomic_plain_mix() {
  together([] {
    __atomic_store_n(reinterpret_cast<int*>(&a), 1, __ATOMIC_SEQ_CST);  // FIRST
  }, [] {
    sink(*reinterpret_cast<int*>(&a));  // SECOND
  });
}

void atomics_only() {
  together([] { a.fetch_add(1, std::memory_order_relaxed); }, [] { a.store(4, std::memory_order_relaxed); },
           [] { sink(a.load(std::memory_order_relaxed)); });
}

void publish_pointer() {
  static std::atomic<int*> p{nullptr};
  together([] { p.store(new int(1), std::memory_order_release); }, [] {
    if (int* q = p.load(std::memory_order_acquire)) sink(*q);
  });
}

void publish_pointer_relaxed() {
  static std::atomic<int*> p{nullptr};
  together([] {
    int* cell = new int;
    *cell = 1;  // FIRST
    p.store(cell, std::memory_order_relaxed);
  }, [] {
    if (int* q = p.load(std::memory_order_relaxed))
      sink(*q);  // SECOND
  });
}

void double_checked() {
  static std::atomic<bool> done{false};
  auto work = [] {
    if (!done.load(std::memory_order_relaxed)) {
      std::lock_guard l(m);
      if (!done.load(std::memory_order_relaxed)) {
        x = 1;  // FIRST
        done.store(true, std::memory_order_release);
      }
    }
    sink(x);  // SECOND
  };
  together(work, work);
}

void atomic_flag_spin() {
  static std::atomic_flag f = ATOMIC_FLAG_INIT;
  auto work = [] {
    while (f.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    x++;
    f.clear(std::memory_order_release);
  };
  together(work, work);
}

void atomic_flag_relaxed() {
  static std::atomic_flag f = ATOMIC_FLAG_INIT;
  auto work = [] {
    while (f.test_and_set(std::memory_order_relaxed)) std::this_thread::yield();
    x++;  // FIRST, SECOND
    f.clear(std::memory_order_relaxed);
  };
  together(work, work);
}

void transitive() {
  static std::atomic<int> b{0};
  together([] { x = 1; a.store(1, std::memory_order_release); },
           [] { if (a.load(std::memory_order_acquire)) b.store(1, std::memory_order_release); },
           [] { if (b.load(std::memory_order_acquire)) sink(x); });
}

void transitive_broken() {
  static std::atomic<int> b{0};
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
  }, [] {
    if (a.load(std::memory_order_relaxed)) b.store(1, std::memory_order_release);
  }, [] {
    if (b.load(std::memory_order_acquire))
      sink(x);  // SECOND
  });
}

void sizes() {
  static std::atomic<char> c{0};
  static std::atomic<short> s{0};
  static std::atomic<long> l{0};
  together([] { x = 1; c.store(1); }, [] { if (c.load()) s.store(1); }, [] { if (s.load()) l.fetch_or(1); },
           [] { if (l.load()) sink(x); });
}

const Case kCases[] = {
    FINE(fence_fence),
    FINE(fence_seq_cst),
    RACY(fence_release_only, 38, 43),
    RACY(fence_acquire_only, 49, 54),
    FINE(fence_release_acquire_load),
    FINE(release_store_acquire_fence),
    RACY(fence_too_late, 82, 88),
    FINE(release_sequence_rmw),
    RACY(release_sequence_broken, 106, 111),
    RACY(release_sequence_other_store, 117, 123),
    RACY(atomic_plain_mix, 129, 131),
    FINE(atomics_only),
    FINE(publish_pointer),
    RACY(publish_pointer_relaxed, 151, 155),
    RACY(double_checked, 165, 169),
    FINE(atomic_flag_spin),
    RACY(atomic_flag_relaxed, 188, 188),
    FINE(transitive),
    RACY(transitive_broken, 204, 210),
    FINE(sizes),
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
