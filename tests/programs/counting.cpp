// Small programs whose executions can all be run, about what easily gets lost: the end of the process with threads
// under way, waits that give up, data choices, looks at what others wait for. ./counting NAME
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <latch>
#include <lockstep/lockstep.hpp>
#include <mutex>
#include <semaphore>
#include <thread>

#include "named.hpp"

namespace {

using namespace std::chrono_literals;

std::atomic<int> x, y;
std::mutex mutex;
std::counting_semaphore<> semaphore{0};
mtx_t c11;
int guarded;

void count() {
  std::lock_guard lock(mutex);
  ++guarded;
}
void swap_in(int value) {
  int none = 0;
  x.compare_exchange_strong(none, value);
}
timespec soon() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  ++t.tv_sec;
  return t;
}

// --- the process ends with threads under way

void main_exits() {
  std::thread([] { count(), count(); }).detach();
  count();
  exit(0);
}
void main_returns() {
  std::thread(count).detach();
  count();
}
void thread_exits() {
  std::thread a([] {
    count();
    exit(0);
  });
  std::thread b(count);
  a.join();
  b.join();
}
void exits_beside_a_timed_wait() {
  std::thread([] { (void)semaphore.try_acquire_for(1ms); }).detach();
  ++x;
}
void exits_beside_a_blocked_thread() {
  mutex.lock();
  std::thread(count).detach();
  ++x;
}

// --- waits that give up

void timed_join() {
  pthread_t t;
  pthread_create(
      &t, nullptr, [](void*) -> void* { return count(), nullptr; }, nullptr);
  std::thread other(count);
  const timespec limit = soon();
  if (pthread_timedjoin_np(t, nullptr, &limit) != 0) pthread_join(t, nullptr);
  other.join();
}
void timed_future() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread t([&] { promise.set_value(3); });
  (void)future.wait_for(1ms);
  t.join();
}
void timed_semaphore() {
  std::thread t([] { semaphore.release(); });
  if (semaphore.try_acquire_for(1ms)) ++x;
  t.join();
}
void timed_c11() {
  mtx_init(&c11, mtx_timed);
  const auto body = [] {
    const timespec limit = soon();
    if (mtx_timedlock(&c11, &limit) != thrd_success) return;
    ++guarded;
    mtx_unlock(&c11);
  };
  std::thread a(body), b(body);
  a.join();
  b.join();
}

// --- data choices where no step is near

void chosen_at_birth() {
  const auto body = [] {
    const int times = lockstep::choose(3);
    for (int i = 0; i < times; ++i) ++x;
  };
  std::thread a(body), b(body);
  a.join();
  b.join();
}
void chosen_at_birth_in_the_middle() {
  std::thread a([] { ++x, ++x; });
  ++x;
  std::thread b([] { x += lockstep::choose(2); });
  ++x;
  a.join();
  b.join();
}
void chosen_after_a_join() {
  std::thread a([] { swap_in(1); }), b([] { ++y; }), c([] { swap_in(2); });
  b.join();
  if (lockstep::choose(2)) swap_in(3);
  a.join();
  c.join();
}
void chosen_after_two_joins() {
  std::thread a([] { ++x; }), b([] { ++y; }), c([] { swap_in(5), ++y; });
  a.join();
  b.join();
  const int more = lockstep::choose(2);
  std::thread d([more] { x += more; });
  d.join();
  c.join();
}

// --- waits for more than one thread: leaving who waits costs nothing

void two_joins_in_a_row() {
  std::thread first(count);
  first.join();
  std::thread a(count), b([] { count(), count(); });
  a.join();
  b.join();
}
void barrier_of_three() {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  const auto body = [] {
    ++x;
    pthread_barrier_wait(&barrier);
  };
  std::thread a(body), b(body);
  body();
  a.join();
  b.join();
}
void opposite_locks() {
  static std::mutex other;
  std::thread a([] { std::lock_guard outer(mutex), inner(other); }),
      b([] { std::lock_guard outer(other), inner(mutex); });
  a.join();
  b.join();
}

// --- looks at what others wait for, loops that never end

struct Counted {
  Counted() { ++x; }
};
void function_static() {
  const auto body = [] { static Counted counted; };
  std::thread a(body), b(body), c(body);
  a.join();
  b.join();
  c.join();
}
struct Refused {
  Refused() {
    if (++x == 1) throw 1;
  }
};
void function_static_refused() {
  const auto body = [] {
    try {
      static Refused refused;
    } catch (int) {
    }
  };
  std::thread a(body), b(body);
  a.join();
  b.join();
}
void semaphore_looked_at() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  const auto look = [] {
    int value = 0;
    sem_getvalue(&semaphore, &value);
    if (value == 0) ++x;
  };
  std::thread a(look), b(look), c([] { sem_wait(&semaphore), sem_post(&semaphore); });
  a.join();
  b.join();
  c.join();
}
void spins_beside_a_swap() {
  std::thread a([] {
    while (y.load() == 0) std::this_thread::yield();
  });
  std::thread b([] { swap_in(1); });
  ++x;
  a.join();
  b.join();
}
void spins_beside_a_choice() {
  std::thread a([] {
    while (y.load() == 0) {
    }
  });
  std::thread b([] { x += lockstep::choose(2); });
  swap_in(7);
  a.join();
  b.join();
}

// Fairness lets who has slept twice wait for the other, in whichever order equal executions come.
void tried_between_sleeps() {
  const auto body = [] {
    while (!mutex.try_lock()) std::this_thread::sleep_for(1ms);
    ++x;
    mutex.unlock();
  };
  together(body, body);
}

constexpr Named kPrograms[] = {
    NAMED(main_exits),
    NAMED(main_returns),
    NAMED(thread_exits),
    NAMED(exits_beside_a_timed_wait),
    NAMED(timed_join),
    NAMED(exits_beside_a_blocked_thread),
    NAMED(timed_future),
    NAMED(timed_semaphore),
    NAMED(timed_c11),
    NAMED(chosen_at_birth),
    NAMED(chosen_after_a_join),
    NAMED(chosen_at_birth_in_the_middle),
    NAMED(chosen_after_two_joins),
    NAMED(two_joins_in_a_row),
    NAMED(barrier_of_three),
    NAMED(opposite_locks),
    NAMED(function_static),
    NAMED(function_static_refused),
    NAMED(semaphore_looked_at),
    NAMED(tried_between_sleeps),
    NAMED(spins_beside_a_swap),
    NAMED(spins_beside_a_choice),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
