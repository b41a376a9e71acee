// Small programs over atomics, births and ends of threads whose traces have been counted by hand or by another tool's
// brute force: ./counted_atomics NAME
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <lockstep/lockstep.hpp>
#include <memory>
#include <mutex>
#include <thread>

#include "named.hpp"

namespace {

std::atomic<int> x, y, z, turn;
std::atomic<bool> flag[2];
std::atomic_flag taken = ATOMIC_FLAG_INIT;

void increment() {
  for (int seen = x.load(); !x.compare_exchange_weak(seen, seen + 1);) {
  }
}

// --- read-modify-write

void cas_loop_2() { together(increment, increment); }
void cas_loop_3() { together(increment, increment, increment); }
void cas_loop_twice() {
  together([] { increment(), increment(); }, increment);
}
void cas_strong_chain() {  // 0 -> 1 -> 2, each by whoever comes at the right time
  const auto body = [] {
    int expected = 0;
    if (!x.compare_exchange_strong(expected, 1)) {
      expected = 1;
      x.compare_exchange_strong(expected, 2);
    }
  };
  together(body, body, body);
}
void exchange_wins() {
  const auto body = [](int me) {
    return [me] {
      if (x.exchange(1) == 0) y.store(me);
    };
  };
  together(body(1), body(2), body(3));
}
void fetch_mix() {
  together(
      [] {
        x.fetch_or(1);
        y.load();
      },
      [] {
        x.fetch_and(~1);
        y.fetch_xor(3);
      },
      [] { x.load(); });
}
void flag_tested() {
  const auto body = [] {
    if (!taken.test_and_set()) taken.clear();
  };
  together(body, body, [] { (void)taken.test(); });
}

// --- loads, stores, fences

void store_buffer_fenced() {
  together(
      [] {
        x.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        (void)y.load(std::memory_order_relaxed);
      },
      [] {
        y.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        (void)x.load(std::memory_order_relaxed);
      });
}
void message_chain() {
  together([] { x = 1, y = 1; },
           [] {
             if (y.load()) z = x.load();
           },
           [] {
             if (z.load()) x = 2;
           });
}
void peterson_once() {  // one look each, no waiting
  const auto body = [](int me) {
    return [me] {
      flag[me] = true;
      turn = 1 - me;
      if (!flag[1 - me] || turn == me) ++x;
      flag[me] = false;
    };
  };
  together(body(0), body(1));
}
void seqlock() {
  together(
      [] {
        x.fetch_add(1);
        y.store(5);
        x.fetch_add(1);
      },
      [] {
        for (int tries = 0; tries < 2; ++tries) {
          const int before = x.load();
          (void)y.load();
          if (before % 2 == 0 && x.load() == before) break;
        }
      });
}
void last_writer_read_by_main() {
  std::thread a([] { x = 1; }), b([] { x = 2; });
  (void)x.load();
  a.join();
  (void)x.load();
  b.join();
}

// --- lock-free stack

struct Node {
  Node* next;
};
std::atomic<Node*> head;
Node nodes[3];
void push(Node* node) {
  node->next = head.load();
  while (!head.compare_exchange_weak(node->next, node)) {
  }
}
void stack_pushes() {
  together([] { push(&nodes[0]); }, [] { push(&nodes[1]); });
}
void stack_push_pop() {
  together([] { push(&nodes[0]); },
           [] {
             Node* top = head.load();
             if (top) head.compare_exchange_strong(top, top->next);
           });
}

// --- spinning

void spin_lock() {
  const auto body = [] {
    while (taken.test_and_set()) {
    }
    ++x;
    taken.clear();
  };
  together(body, body);
}
void ticket_lock() {
  const auto body = [] {
    const int mine = x.fetch_add(1);
    while (y.load() != mine) std::this_thread::yield();
    y.store(mine + 1);
  };
  together(body, body);
}

// --- births and ends

void thread_in_thread() {
  std::thread a([] {
    ++x;
    std::thread b([] { ++x; });
    ++x;
    b.join();
  });
  ++x;
  a.join();
}
void chain_of_threads() {
  std::thread a([] {
    std::thread b([] {
      std::thread c([] { ++x; });
      ++x;
      c.join();
    });
    ++x;
    b.join();
  });
  a.join();
}
void join_reversed() {
  std::thread a([] { ++x, ++y; }), b([] { ++y; }), c([] { ++x; });
  c.join();
  ++y;
  b.join();
  a.join();
}
void born_late() {
  std::thread a([] { ++x, ++x; });
  a.join();
  std::thread b([] { ++x; }), c([] { ++x; });
  b.join();
  c.join();
}
void detached_and_waited_for() {
  std::thread([] { ++y, x = 1; }).detach();
  while (!x.load()) std::this_thread::yield();
  ++y;
}
void detached_and_left() {
  std::thread([] { ++x, ++y; }).detach();
  ++x;
}
void early_exit() {
  std::thread a([] {
    ++x;
    if (y.load()) _exit(0);
  }),
      b([] { y = 1, ++x; });
  a.join();
  b.join();
}
void quick_exit_of_main() {
  std::thread a([] { ++x, ++x; }), b([] { ++x; });
  if (x.load() > 1) std::quick_exit(0);
  a.join();
  b.join();
}
thread_local int mine;
void thread_locals() {
  const auto body = [] {
    for (int i = 0; i < 2; ++i) ++mine;
    x.fetch_add(mine);
    x.fetch_add(++mine);
  };
  together(body, body);
}
pthread_key_t key;
void key_destructor() {
  pthread_key_create(&key, [](void*) { ++x; });
  const auto body = [] {
    pthread_setspecific(key, &x);
    ++y;
  };
  together(body, body);
}
void pthread_exits() {
  pthread_t threads[2];
  for (pthread_t& t : threads)
    pthread_create(
        &t, nullptr,
        [](void*) -> void* {
          ++x;
          pthread_exit(&x);
        },
        nullptr);
  for (pthread_t t : threads) pthread_join(t, nullptr);
}
void tryjoin() {
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        ++x;
        return nullptr;
      },
      nullptr);
  std::thread other([] { ++x; });
  if (pthread_tryjoin_np(t, nullptr) != 0) pthread_join(t, nullptr);
  other.join();
}

// --- futures

// --- data choices

void chosen_stores() {
  const auto body = [] { x.store(1 + lockstep::choose(2)); };
  together(body, body);
}
void chosen_paths() {
  together(
      [] {
        if (lockstep::choose(2)) ++x;
        ++y;
      },
      [] {
        ++x;
        if (lockstep::choose(3) == 1) ++y;
      });
}
void chosen_from_what_was_read() {
  together([] { x = lockstep::choose(1 + y.load()); }, [] { y = 2; }, [] { (void)x.load(); });
}
void shared_pointers() {
  auto shared = std::make_shared<int>(1);
  std::thread a([copy = shared]() mutable { copy.reset(); }), b([copy = shared]() mutable { copy.reset(); });
  shared.reset();
  a.join();
  b.join();
}

constexpr Named kPrograms[] = {
    NAMED(cas_loop_2),
    NAMED(cas_loop_3),
    NAMED(cas_loop_twice),
    NAMED(cas_strong_chain),
    NAMED(exchange_wins),
    NAMED(fetch_mix),
    NAMED(flag_tested),
    NAMED(store_buffer_fenced),
    NAMED(message_chain),
    NAMED(peterson_once),
    NAMED(seqlock),
    NAMED(last_writer_read_by_main),
    NAMED(stack_pushes),
    NAMED(stack_push_pop),
    NAMED(spin_lock),
    NAMED(ticket_lock),
    NAMED(thread_in_thread),
    NAMED(chain_of_threads),
    NAMED(join_reversed),
    NAMED(born_late),
    NAMED(detached_and_waited_for),
    NAMED(detached_and_left),
    NAMED(early_exit),
    NAMED(quick_exit_of_main),
    NAMED(thread_locals),
    NAMED(key_destructor),
    NAMED(pthread_exits),
    NAMED(tryjoin),
    NAMED(chosen_stores),
    NAMED(chosen_paths),
    NAMED(chosen_from_what_was_read),
    NAMED(shared_pointers),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
