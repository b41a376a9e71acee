// Data races and their race-free twins: every memory order, fences, release sequences.
#include "races.hpp"

namespace {

int x;
std::atomic<int> a{0};
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

void store_relaxed_load_relaxed() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    sink(x);  // SECOND
  });
}

void store_relaxed_load_consume() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_consume)) return;
    sink(x);  // SECOND
  });
}

void store_relaxed_load_acquire() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);  // SECOND
  });
}

void store_relaxed_load_seq_cst() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_seq_cst)) return;
    sink(x);  // SECOND
  });
}

void store_release_load_relaxed() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    sink(x);  // SECOND
  });
}

void store_release_load_consume() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_consume)) return;
    sink(x);
  });
}

void store_release_load_acquire() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);
  });
}

void store_release_load_seq_cst() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_seq_cst)) return;
    sink(x);
  });
}

void store_seq_cst_load_relaxed() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_seq_cst);
  }, [] {
    if (!a.load(std::memory_order_relaxed)) return;
    sink(x);  // SECOND
  });
}

void store_seq_cst_load_consume() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_seq_cst);
  }, [] {
    if (!a.load(std::memory_order_consume)) return;
    sink(x);
  });
}

void store_seq_cst_load_acquire() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_seq_cst);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);
  });
}

void store_seq_cst_load_seq_cst() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_seq_cst);
  }, [] {
    if (!a.load(std::memory_order_seq_cst)) return;
    sink(x);
  });
}

void rmw_relaxed_load_acquire() {
  together([] {
    x = 1;  // FIRST
    a.fetch_add(1, std::memory_order_relaxed);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);  // SECOND
  });
}

void rmw_acquire_load_acquire() {
  together([] {
    x = 1;  // FIRST
    a.fetch_add(1, std::memory_order_acquire);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);  // SECOND
  });
}

void rmw_release_load_acquire() {
  together([] {
    x = 1;
    a.fetch_add(1, std::memory_order_release);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);
  });
}

void rmw_acq_rel_load_acquire() {
  together([] {
    x = 1;
    a.fetch_add(1, std::memory_order_acq_rel);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);
  });
}

void rmw_seq_cst_load_acquire() {
  together([] {
    x = 1;
    a.fetch_add(1, std::memory_order_seq_cst);
  }, [] {
    if (!a.load(std::memory_order_acquire)) return;
    sink(x);
  });
}

void store_release_rmw_relaxed() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.exchange(0, std::memory_order_relaxed)) return;
    sink(x);  // SECOND
  });
}

void store_release_rmw_acquire() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.exchange(0, std::memory_order_acquire)) return;
    sink(x);
  });
}

void store_release_rmw_release() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.exchange(0, std::memory_order_release)) return;
    sink(x);  // SECOND
  });
}

void store_release_rmw_acq_rel() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.exchange(0, std::memory_order_acq_rel)) return;
    sink(x);
  });
}

void store_release_rmw_seq_cst() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    if (!a.exchange(0, std::memory_order_seq_cst)) return;
    sink(x);
  });
}

void cas_success() {
  together([] {
    x = 1;
    int e = 0;
    a.compare_exchange_strong(e, 1, std::memory_order_release);
  }, [] {
    int e = 1;
    if (!a.compare_exchange_strong(e, 2, std::memory_order_acquire)) return;
    sink(x);
  });
}

void cas_failure_acquire() {
  together([] {
    x = 1;
    a.store(1, std::memory_order_release);
  }, [] {
    int e = 7;
    a.compare_exchange_strong(e, 2, std::memory_order_acquire, std::memory_order_acquire);
    if (e == 0) return;
    sink(x);
  });
}

void cas_failure_relaxed() {
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_release);
  }, [] {
    int e = 7;
    a.compare_exchange_strong(e, 2, std::memory_order_acquire, std::memory_order_relaxed);
    if (e == 0) return;
    sink(x);  // SECOND
  });
}

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
    {"store_relaxed_load_relaxed", true, store_relaxed_load_relaxed, 14, 18},
    {"store_relaxed_load_consume", true, store_relaxed_load_consume, 24, 28},
    {"store_relaxed_load_acquire", true, store_relaxed_load_acquire, 34, 38},
    {"store_relaxed_load_seq_cst", true, store_relaxed_load_seq_cst, 44, 48},
    {"store_release_load_relaxed", true, store_release_load_relaxed, 54, 58},
    {"store_release_load_consume", false, store_release_load_consume, 0, 0},
    {"store_release_load_acquire", false, store_release_load_acquire, 0, 0},
    {"store_release_load_seq_cst", false, store_release_load_seq_cst, 0, 0},
    {"store_seq_cst_load_relaxed", true, store_seq_cst_load_relaxed, 94, 98},
    {"store_seq_cst_load_consume", false, store_seq_cst_load_consume, 0, 0},
    {"store_seq_cst_load_acquire", false, store_seq_cst_load_acquire, 0, 0},
    {"store_seq_cst_load_seq_cst", false, store_seq_cst_load_seq_cst, 0, 0},
    {"rmw_relaxed_load_acquire", true, rmw_relaxed_load_acquire, 134, 138},
    {"rmw_acquire_load_acquire", true, rmw_acquire_load_acquire, 144, 148},
    {"rmw_release_load_acquire", false, rmw_release_load_acquire, 0, 0},
    {"rmw_acq_rel_load_acquire", false, rmw_acq_rel_load_acquire, 0, 0},
    {"rmw_seq_cst_load_acquire", false, rmw_seq_cst_load_acquire, 0, 0},
    {"store_release_rmw_relaxed", true, store_release_rmw_relaxed, 184, 188},
    {"store_release_rmw_acquire", false, store_release_rmw_acquire, 0, 0},
    {"store_release_rmw_release", true, store_release_rmw_release, 204, 208},
    {"store_release_rmw_acq_rel", false, store_release_rmw_acq_rel, 0, 0},
    {"store_release_rmw_seq_cst", false, store_release_rmw_seq_cst, 0, 0},
    {"cas_success", false, cas_success, 0, 0},
    {"cas_failure_acquire", false, cas_failure_acquire, 0, 0},
    {"cas_failure_relaxed", true, cas_failure_relaxed, 258, 264},
    {"fence_fence", false, fence_fence, 0, 0},
    {"fence_seq_cst", false, fence_seq_cst, 0, 0},
    {"fence_release_only", true, fence_release_only, 294, 299},
    {"fence_acquire_only", true, fence_acquire_only, 305, 310},
    {"fence_release_acquire_load", false, fence_release_acquire_load, 0, 0},
    {"release_store_acquire_fence", false, release_store_acquire_fence, 0, 0},
    {"fence_too_late", true, fence_too_late, 338, 344},
    {"release_sequence_rmw", false, release_sequence_rmw, 0, 0},
    {"release_sequence_broken", true, release_sequence_broken, 362, 367},
    {"release_sequence_other_store", true, release_sequence_other_store, 373, 379},
    {"atomic_plain_mix", true, atomic_plain_mix, 385, 387},
    {"atomics_only", false, atomics_only, 0, 0},
    {"publish_pointer", false, publish_pointer, 0, 0},
    {"publish_pointer_relaxed", true, publish_pointer_relaxed, 407, 411},
    {"double_checked", true, double_checked, 421, 425},
    {"atomic_flag_spin", false, atomic_flag_spin, 0, 0},
    {"atomic_flag_relaxed", true, atomic_flag_relaxed, 444, 444},
    {"transitive", false, transitive, 0, 0},
    {"transitive_broken", true, transitive_broken, 460, 466},
    {"sizes", false, sizes, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
