// Programs for the monitors beside data races: memory, locks, store buffers, trusted code. One case each, by name.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#undef NDEBUG
#include <cassert>

namespace {

std::mutex a, b;
int shared;
std::atomic<int> X, Y;
int* reachable;

template <class... F>
void together(F... body) {
  std::thread threads[] = {std::thread(body)...};
  for (auto& t : threads) t.join();
}

// --- memory ---
void freed_before_threads() {
  int* p = new int(1);
  delete p;
  *p = 2;
}
void freed_by_another() {
  int* p = new int(1);
  std::thread([p] { delete p; }).join();
  *p = 2;
}
void freed_twice() {
  int* p = new int(1);
  std::thread([p] { delete p; }).join();
  delete p;
}
void freed_inside() {
  char* p = static_cast<char*>(std::malloc(64));
  char* volatile inside = p + 16;
  std::free(inside);
}
void freed_local() {
  int local[4];
  int* volatile p = local;
  std::free(p);
}
void freed_global() {
  int* volatile p = &shared;
  std::free(p);
}
void freed_mutex_locked() {
  auto* m = new std::mutex;
  std::thread([m] { delete m; }).join();
  m->lock();
}
void stack_of_ended_thread() {
  int* p = nullptr;
  std::thread([&p] {
    int local = 5;
    int* volatile address = &local;
    p = address;
  }).join();
  *p = 6;
}
void leaked() {
  reachable = new int(1);
  int* lost = new int[10];
  lost[0] = 1;
  lost = nullptr;
  std::thread([] { shared = 1; }).join();
}
void leaked_in_some_schedules() {
  static std::atomic<std::string*> slot;
  slot = nullptr;
  together([] { delete slot.exchange(new std::string("the first of two long strings")); },
           [] {
             if (!slot.load()) slot.store(new std::string("the second of two long strings"));
           });
  delete slot.exchange(nullptr);
}
void nothing_leaked() {
  reachable = new int(1);
  auto kept = std::make_shared<std::map<int, std::string>>();
  (*kept)[1] = "reachable through a tree whose root is on the heap";
  static std::shared_ptr<std::map<int, std::string>> also = kept;
  together([kept] { (void)kept->size(); });
  std::thread([] {
    static thread_local std::string mine = "a thread-local string on the heap";
    shared = static_cast<int>(mine.size());
  }).join();
}

// --- locks ---
void opposite_orders() {
  std::thread first([] {
    std::lock_guard l(a);
    std::lock_guard k(b);
  });
  std::thread second([] {
    std::lock_guard l(b);
    std::lock_guard k(a);
  });
  first.join();
  second.join();
}
void orders_of_one_thread() {
  {
    std::lock_guard l(a);
    std::lock_guard k(b);
  }
  std::thread other([] { std::lock_guard l(a); });
  {
    std::lock_guard l(b);
    std::lock_guard k(a);
  }
  other.join();
}
void orders_one_after_the_other() {
  std::thread([] {
    std::lock_guard l(a);
    std::lock_guard k(b);
  }).join();
  std::thread([] {
    std::lock_guard l(b);
    std::lock_guard k(a);
  }).join();
}
void orders_behind_a_gate() {
  static std::mutex gate;
  together(
      [] {
        std::lock_guard g(gate);
        std::lock_guard l(a);
        std::lock_guard k(b);
      },
      [] {
        std::lock_guard g(gate);
        std::lock_guard l(b);
        std::lock_guard k(a);
      });
}
void two_mutexes_one_condition() {
  std::condition_variable c;
  auto wait = [&c](std::mutex& m) {
    std::unique_lock l(m);
    c.wait_for(l, std::chrono::seconds(1));
  };
  together([&] { wait(a); }, [&] { wait(b); });
}
void destroyed_while_locked() {
  auto* m = new pthread_mutex_t PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(m);
  pthread_mutex_destroy(m);
}
struct Guarded {
  int value = 0;
  std::mutex m;
};
void freed_while_locked() {  // std::mutex has nothing to destroy
  auto* g = new Guarded;
  g->m.lock();
  delete g;
}
void freed_while_another_holds() {
  auto* g = new Guarded;
  std::thread other([g] { std::lock_guard hold(g->m); });
  if (g->m.try_lock()) {
    g->m.unlock();
    other.join();
    delete g;
  } else {
    delete g;
    other.join();
  }
}
void freed_after_unlocking() {
  for (int round = 0; round < 3; ++round) {
    auto g = std::make_unique<Guarded>();
    std::recursive_timed_mutex r[2];
    std::thread other([&] {
      std::lock_guard hold(g->m);
      ++g->value;
    });
    {
      std::scoped_lock hold(g->m, r[1], r[0]);
      ++g->value;
      auto* copy = static_cast<char*>(std::malloc(sizeof *g));  // the bytes of a held mutex, somewhere else
      std::memcpy(copy, static_cast<void*>(g.get()), sizeof *g);
      std::free(copy);
    }
    other.join();
  }
}
void handed_over_by_atomic() {  // no race, but no lock either
  static std::atomic<bool> ready;
  ready = false;
  together(
      [] {
        shared = 1;
        ready = true;
      },
      [] {
        if (ready) shared = 2;
      });
}
void always_locked() {
  auto use = [] {
    std::lock_guard l(a);
    ++shared;
  };
  together(use, use);
}

// --- store buffers ---
int seen[2];
void dekker_release() {
  together(
      [] {
        X.store(1, std::memory_order_release);
        seen[0] = Y.load(std::memory_order_acquire);
      },
      [] {
        Y.store(1, std::memory_order_release);
        seen[1] = X.load(std::memory_order_acquire);
      });
}
void dekker_seq_cst() {
  together(
      [] {
        X.store(1);
        seen[0] = Y.load();
      },
      [] {
        Y.store(1);
        seen[1] = X.load();
      });
}
void dekker_fences() {
  together(
      [] {
        X.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        seen[0] = Y.load(std::memory_order_relaxed);
      },
      [] {
        Y.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        seen[1] = X.load(std::memory_order_relaxed);
      });
}
void message() {
  together(
      [] {
        X.store(1, std::memory_order_relaxed);
        Y.store(1, std::memory_order_release);
      },
      [] {
        if (Y.load(std::memory_order_acquire)) seen[0] = X.load(std::memory_order_relaxed);
      });
}

// --- trust ---
__attribute__((noinline)) void careful_increment() {
  const int now = X.load();
  X.store(now + 1);
}
void trusted_increment() {
  together([] { careful_increment(); }, [] { careful_increment(); });
  assert(X == 2);
}

// --- overlapping accesses, for promotion ---
union {
  long whole;
  int half[2];
} word;
struct Big {
  long v[8];
} big, zero;
struct {
  int plain;
  std::atomic<int> atomic;
} mixed;
void half_before_whole() {
  std::thread t([] { word.whole = -1; });
  word.half[1] = 0;
  t.join();
  assert(word.half[1] == 0);
}
void whole_before_half() {
  std::thread t([] { word.whole = -1; });
  word.half[1] = 0;
  t.join();
  assert(word.half[1] == -1);
}
void member_before_copy() {
  std::thread t([] { big = zero; });
  big.v[5] = 7;
  t.join();
  assert(big.v[5] == 7);
}
void copy_before_member() {
  std::thread t([] { big = zero; });
  big.v[5] = 7;
  t.join();
  assert(big.v[5] == 0);
}
void atomic_before_memset() {
  std::thread t([] { std::memset(static_cast<void*>(&mixed), 1, sizeof mixed); });
  mixed.atomic.store(3);
  t.join();
  assert(mixed.atomic.load() == 3);
}
void memset_before_atomic() {
  std::thread t([] { std::memset(static_cast<void*>(&mixed), 1, sizeof mixed); });
  mixed.atomic.store(3);
  t.join();
  assert(mixed.atomic.load() != 3);
}

#define CASE(name) \
  { #name, name }
const std::map<std::string, void (*)()> kCases = {CASE(freed_before_threads),
                                                  CASE(freed_by_another),
                                                  CASE(freed_twice),
                                                  CASE(freed_inside),
                                                  CASE(freed_local),
                                                  CASE(freed_global),
                                                  CASE(freed_mutex_locked),
                                                  CASE(stack_of_ended_thread),
                                                  CASE(leaked),
                                                  CASE(leaked_in_some_schedules),
                                                  CASE(nothing_leaked),
                                                  CASE(opposite_orders),
                                                  CASE(orders_of_one_thread),
                                                  CASE(orders_one_after_the_other),
                                                  CASE(orders_behind_a_gate),
                                                  CASE(two_mutexes_one_condition),
                                                  CASE(destroyed_while_locked),
                                                  CASE(freed_while_locked),
                                                  CASE(freed_while_another_holds),
                                                  CASE(freed_after_unlocking),
                                                  CASE(handed_over_by_atomic),
                                                  CASE(always_locked),
                                                  CASE(dekker_release),
                                                  CASE(dekker_seq_cst),
                                                  CASE(dekker_fences),
                                                  CASE(message),
                                                  CASE(trusted_increment),
                                                  CASE(half_before_whole),
                                                  CASE(whole_before_half),
                                                  CASE(member_before_copy),
                                                  CASE(copy_before_member),
                                                  CASE(atomic_before_memset),
                                                  CASE(memset_before_atomic)};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !kCases.contains(argv[1])) return 2;
  kCases.at(argv[1])();
  return 0;
}
