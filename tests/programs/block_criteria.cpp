// Programs at the border of what orders of atomic blocks cover, chosen by name: operations that are not covered, and
// deadlocks that no order of whole blocks runs into.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <lockstep/lockstep.hpp>

namespace {

std::mutex a, b;
std::timed_mutex timed;
std::recursive_mutex again;
std::shared_mutex table, other_table;
std::condition_variable changed;
std::once_flag once;
pthread_spinlock_t spin;
sem_t tokens;
std::atomic<int> number;
std::atomic_flag busy = ATOMIC_FLAG_INIT;
int data, more, seen;

using Body = std::function<void()>;

void run(const std::vector<Body>& bodies) {
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (const Body& body : bodies) threads.emplace_back(body);
  for (std::thread& t : threads) t.join();
}

// Each body in one of two threads.
Body both(Body first, Body second) {
  return [=] { run({first, second}); };
}
Body twice(Body body) { return both(body, body); }

template <class First, class Second>
void nest(First& first, Second& second) {
  std::lock_guard outer(first);
  std::lock_guard inner(second);
}
struct Reading {
  std::shared_mutex& lock_;
  void lock() { lock_.lock_shared(); }
  void unlock() { lock_.unlock_shared(); }
} read_table{table}, read_other{other_table};
struct Spinning {
  void lock() { pthread_spin_lock(&spin); }
  void unlock() { pthread_spin_unlock(&spin); }
} spinning;

void take_in_order_of_release(std::mutex& first, std::mutex& second) {
  first.lock();
  second.lock();
  first.unlock();
  second.unlock();
}

// The thread that is created in the middle of a block can come before its rest.
void create_under_lock() {
  std::thread idle([] { std::lock_guard hold(a); });
  std::thread child;
  {
    std::lock_guard outer(b);
    child = std::thread([] {
      std::lock_guard hold(a);
      if (!seen) seen = 1;
    });
    std::lock_guard hold(a);
    assert(!seen);
    seen = 2;
  }
  child.join();
  idle.join();
}

void join_under_lock() {
  std::thread child([] { std::lock_guard hold(a); });
  std::lock_guard hold(a);
  child.join();
}

void add_one() {
  std::lock_guard hold(a);
  ++data;
}
void section_then_lock() {
  {
    lockstep::atomic_section section;
    add_one();
    add_one();
  }
  std::lock_guard hold(a);
  assert(!seen);
}
void look_after_section() {
  std::lock_guard hold(a);
  assert(data != 1);  // nobody comes between the two
  seen = data;
}

const std::map<std::string, Body> kPrograms = {
    // Not covered.
    {"atomic", twice([] { number = number + 1; })},
    {"spin-flag", twice([] {
       while (busy.test_and_set()) std::this_thread::yield();
       busy.clear();
     })},
    {"try-lock", both([] { std::lock_guard hold(a); },
                      [] {
                        if (a.try_lock()) a.unlock();
                      })},
    {"try-read", both([] { std::lock_guard hold(table); },
                      [] {
                        if (table.try_lock_shared()) table.unlock_shared();
                      })},
    {"timed-lock", twice([] {
       if (timed.try_lock_for(std::chrono::seconds(1))) timed.unlock();
     })},
    {"timed-wait", twice([] {
       std::unique_lock hold(a);
       changed.wait_for(hold, std::chrono::seconds(1));
     })},
    {"semaphore", twice([] {
       sem_wait(&tokens);
       sem_post(&tokens);
     })},
    {"atomic-wait", both([] { number.wait(0); },
                         [] {
                           number = 1;
                           number.notify_all();
                         })},
    {"other-lock", both(
                       [] {
                         std::unique_lock hold(a);
                         if (!more) changed.wait(hold);
                       },
                       [] {
                         {
                           std::lock_guard hold(a), more_hold(b);
                           more = 1;
                         }
                         std::lock_guard hold(b);
                         changed.notify_one();
                       })},
    {"plain", both([] { data = 1; }, [] { more = 1; })},
    // Covered.
    {"locked-atomic", twice([] {
       std::lock_guard hold(a);
       number = number + 1;
     })},
    {"readers", both(
                    [] {
                      std::lock_guard hold(table);
                      data = 1;
                    },
                    [] {
                      std::shared_lock hold(table);
                      more = data;
                    })},
    {"once", twice([] { std::call_once(once, [] { data = 1; }); })},
    {"condition", both(
                      [] {
                        std::unique_lock hold(a);
                        changed.wait(hold, [] { return data == 1; });
                      },
                      [] {
                        {
                          std::lock_guard hold(a);
                          data = 1;
                        }
                        changed.notify_one();
                      })},
    // Deadlocks.
    {"reader-mutex", both([] { nest(read_table, a); }, [] { nest(a, table); })},
    {"writer-mutex", both([] { nest(table, a); }, [] { nest(a, read_table); })},
    {"crossed-readers", both([] { nest(read_table, other_table); }, [] { nest(read_other, table); })},
    {"spin-mutex", both([] { nest(spinning, a); }, [] { nest(a, spinning); })},
    {"recursive", both(
                      [] {
                        std::lock_guard first(again);
                        nest(again, a);
                      },
                      [] { nest(a, again); })},
    {"released-first", both([] { take_in_order_of_release(a, b); }, [] { take_in_order_of_release(b, a); })},
    {"once-mutex", both([] { std::call_once(once, [] { std::lock_guard hold(a); }); },
                        [] {
                          std::lock_guard hold(a);
                          std::call_once(once, [] {});
                        })},
    {"join", join_under_lock},
    {"three",
     [] {
       run({[] { nest(a, b); }, [] { nest(b, table); }, [] { nest(read_table, a); }});
     }},
    // No deadlocks, though locks are nested.
    {"only-readers", both([] { nest(read_table, read_other); }, [] { nest(read_other, read_table); })},
    {"gate", both(
                 [] {
                   std::lock_guard gate(table);
                   nest(a, b);
                 },
                 [] {
                   std::lock_guard gate(table);
                   nest(b, a);
                 })},
    // Orders that are easily lost.
    {"create", create_under_lock},
    {"section", both(section_then_lock, look_after_section)},
};

}  // namespace

int main(int, char** argv) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&tokens, 0, 1);
  const auto program = kPrograms.find(argv[1] ? argv[1] : "");
  if (program == kPrograms.end()) return 2;
  program->second();
}
