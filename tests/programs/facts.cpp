// Programs that a claim has to say something about, and programs that look alike.
#include <x86intrin.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "named.hpp"

namespace {

std::atomic<int> total;
std::atomic<bool> flag;
std::atomic_flag bell;

// --- memory orders ---

void seq_cst_only() {
  together([] { total++; },
           [] {
             int expected = 5;
             total.compare_exchange_strong(expected, 6);
             std::atomic_thread_fence(std::memory_order_seq_cst);
             flag = total == 1;
           });
}
void relaxed_add() {
  together([] { total.fetch_add(1, std::memory_order_relaxed); }, [] { total++; });
}
void release_store() {
  together([] { flag.store(true, std::memory_order_release); }, [] { total += flag; });
}
void acquire_byte_that_is_zero() {
  together([] { total += flag.load(std::memory_order_acquire); }, [] { total++; });
}
void acquire_byte_that_is_one() {
  flag = true;
  together([] { total += flag.load(std::memory_order_acquire); }, [] { total++; });
}
void acquire_word() {
  together([] { flag = total.load(std::memory_order_acquire); }, [] { total++; });
}
void weak_fence() {
  together([] { std::atomic_thread_fence(std::memory_order_acq_rel); }, [] { total++; });
}
void clear_of_a_flag() {
  together([] { bell.test_and_set(); }, [] { bell.clear(std::memory_order_release); });
}
void failed_exchange() {
  together(
      [] {
        int expected = 100;
        total.compare_exchange_strong(expected, 1, std::memory_order_seq_cst, std::memory_order_relaxed);
      },
      [] { flag = true; });
}
void exchange_that_never_fails() {
  together(
      [] {
        int expected = 0;
        total.compare_exchange_strong(expected, 1, std::memory_order_seq_cst, std::memory_order_relaxed);
      },
      [] { flag = true; });
}
void odd_size() {
  struct Three {
    char c[3];
  };
  static std::atomic<Three> three;
  together([] { three.store({}, std::memory_order_relaxed); }, [] { total++; });
}
// A thread that is alone is ordered with all others.
void weak_while_alone() {
  total.store(1, std::memory_order_relaxed);
  together([] { total++; }, [] { total++; });
  assert(total.load(std::memory_order_relaxed) == 3);
}
int next_number() {
  static std::atomic<int>* number = new std::atomic<int>(1);
  return ++*number;
}
// The compiler tests the guard with acquire; that is no operation of the program.
void guard_of_a_static() { together(next_number, next_number, next_number); }
void guard_set_before() {
  next_number();
  together(next_number, next_number);
}

// --- condition waits ---

std::mutex m;
std::condition_variable changed;
bool ready;

void wait_for_change() {
  together(
      [] {
        std::unique_lock lock(m);
        changed.wait(lock, [] { return ready; });
      },
      [] {
        std::lock_guard lock(m);
        ready = true;
        changed.notify_one();
      });
}
void no_wait() {
  together(
      [] {
        std::lock_guard lock(m);
        ready = true;
      },
      [] { changed.notify_one(); });
}

}  // namespace

int main(int argc, char** argv) {
  const Named all[] = {NAMED(seq_cst_only),
                       NAMED(relaxed_add),
                       NAMED(release_store),
                       NAMED(acquire_byte_that_is_zero),
                       NAMED(acquire_byte_that_is_one),
                       NAMED(acquire_word),
                       NAMED(weak_fence),
                       NAMED(clear_of_a_flag),
                       NAMED(failed_exchange),
                       NAMED(exchange_that_never_fails),
                       NAMED(odd_size),
                       NAMED(weak_while_alone),
                       NAMED(guard_of_a_static),
                       NAMED(guard_set_before),
                       NAMED(wait_for_change),
                       NAMED(no_wait)};
  return run_named(all, argc, argv);
}
