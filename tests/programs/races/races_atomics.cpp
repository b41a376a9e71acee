// Data races and their race-free twins: every memory order of every kind of atomic operation.
#include "races.hpp"

namespace {

int x;
std::atomic<int> a{0};

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

const Case kCases[] = {
    RACY(store_relaxed_load_relaxed, 13, 17),
    RACY(store_relaxed_load_consume, 23, 27),
    RACY(store_relaxed_load_acquire, 33, 37),
    RACY(store_relaxed_load_seq_cst, 43, 47),
    RACY(store_release_load_relaxed, 53, 57),
    FINE(store_release_load_consume),
    FINE(store_release_load_acquire),
    FINE(store_release_load_seq_cst),
    RACY(store_seq_cst_load_relaxed, 93, 97),
    FINE(store_seq_cst_load_consume),
    FINE(store_seq_cst_load_acquire),
    FINE(store_seq_cst_load_seq_cst),
    RACY(rmw_relaxed_load_acquire, 133, 137),
    RACY(rmw_acquire_load_acquire, 143, 147),
    FINE(rmw_release_load_acquire),
    FINE(rmw_acq_rel_load_acquire),
    FINE(rmw_seq_cst_load_acquire),
    RACY(store_release_rmw_relaxed, 183, 187),
    FINE(store_release_rmw_acquire),
    RACY(store_release_rmw_release, 203, 207),
    FINE(store_release_rmw_acq_rel),
    FINE(store_release_rmw_seq_cst),
    FINE(cas_success),
    FINE(cas_failure_acquire),
    RACY(cas_failure_relaxed, 257, 263),
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
