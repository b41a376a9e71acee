// Data races and their race-free twins: locks, condition variables and everything else that blocks.
#include "races.hpp"

namespace {

int x, y;
std::mutex m, m2;
std::shared_mutex rw;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

int lazily() {
  static int value = [] { return std::rand() + 1; }();
  return value;
}

void mutex() {
  together([] { std::lock_guard l(m); x++; }, [] { std::lock_guard l(m); x++; });
}

void two_mutexes() {
  together([] {
    std::lock_guard l(m);
    x++;  // FIRST
  }, [] {
    std::lock_guard l(m2);
    x++;  // SECOND
  });
}

void unlocked_reader() {
  together([] {
    std::lock_guard l(m);
    x++;  // FIRST
  }, [] {
    sink(x);  // SECOND
  });
}

void try_lock() {
  together([] { std::lock_guard l(m); x++; }, [] {
    if (m.try_lock()) {
      x++;
      m.unlock();
    }
  });
}

void try_lock_failed() {
  m.lock();
  std::thread t([] {
    if (!m.try_lock())
      x++;  // FIRST
    else
      m.unlock();
  });
  x = 5;  // SECOND
  m.unlock();
  t.join();
}

void recursive() {
  static std::recursive_mutex r;
  auto work = [] {
    std::lock_guard a(r);
    std::lock_guard b(r);
    x++;
  };
  together(work, work);
}

void spin_lock() {
  static pthread_spinlock_t s;
  pthread_spin_init(&s, 0);
  auto work = [] {
    pthread_spin_lock(&s);
    x++;
    pthread_spin_unlock(&s);
  };
  together(work, work);
}

void timed_lock() {
  static std::timed_mutex t;
  auto work = [] {
    std::unique_lock l(t, std::chrono::seconds(1));
    if (l) x++;
  };
  together(work, work);
}

void condvar() {
  static std::condition_variable c;
  static bool ready;
  ready = false;
  together([] {
    x = 1;
    std::lock_guard l(m);
    ready = true;
    c.notify_one();
  }, [] {
    std::unique_lock l(m);
    c.wait(l, [] { return ready; });
    sink(x);
  });
}

void condvar_outside() {
  static std::condition_variable c;
  static bool ready;
  ready = false;
  together([] {
    {
      std::lock_guard l(m);
      ready = true;
    }
    c.notify_one();
    x = 1;  // FIRST
  }, [] {
    std::unique_lock l(m);
    c.wait(l, [] { return ready; });
    sink(x);  // SECOND
  });
}

void condvar_any() {
  static std::condition_variable_any c;
  static std::shared_mutex s;
  static bool ready;
  ready = false;
  together([] {
    x = 1;
    std::lock_guard l(s);
    ready = true;
    c.notify_all();
  }, [] {
    std::shared_lock l(s);
    c.wait(l, [] { return ready; });
    sink(x);
  });
}

void rwlock() {
  together([] { std::lock_guard l(rw); x++; }, [] { std::shared_lock l(rw); sink(x); },
           [] { std::shared_lock l(rw); sink(x); });
}

void rwlock_reader_writes() {
  together([] {
    std::shared_lock l(rw);
    x++;  // FIRST
  }, [] {
    std::shared_lock l(rw);
    sink(x);  // SECOND
  });
}

void rwlock_writer_after_reader() {
  together([] { std::shared_lock l(rw); sink(x); }, [] { std::lock_guard l(rw); x = 2; });
}

void semaphore() {
  static sem_t s;
  sem_init(&s, 0, 0);
  together([] { x = 1; sem_post(&s); }, [] { sem_wait(&s); sink(x); });
}

void semaphore_late() {
  static sem_t s;
  sem_init(&s, 0, 0);
  together([] {
    sem_post(&s);
    x = 1;  // FIRST
  }, [] {
    sem_wait(&s);
    sink(x);  // SECOND
  });
}

void counting_semaphore() {
  static std::counting_semaphore<4> s(0);
  together([] { x = 1; s.release(); }, [] { s.acquire(); sink(x); });
}

void binary_semaphore_late() {
  static std::binary_semaphore s(0);
  together([] {
    s.release();
    x = 1;  // FIRST
  }, [] {
    s.acquire();
    sink(x);  // SECOND
  });
}

void pthread_barrier() {
  static pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 2);
  together([] { x = 1; pthread_barrier_wait(&b); sink(y); }, [] { y = 1; pthread_barrier_wait(&b); sink(x); });
}

void pthread_barrier_late() {
  static pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 2);
  together([] {
    pthread_barrier_wait(&b);
    x = 1;  // FIRST
  }, [] {
    pthread_barrier_wait(&b);
    sink(x);  // SECOND
  });
}

void std_barrier() {
  static std::barrier b(2);
  together([] { x = 1; b.arrive_and_wait(); sink(y); }, [] { y = 1; b.arrive_and_wait(); sink(x); });
}

void latch() {
  static std::latch l(1);
  together([] { x = 1; l.count_down(); }, [] { l.wait(); sink(x); });
}

void latch_late() {
  static std::latch l(1);
  together([] {
    l.count_down();
    x = 1;  // FIRST
  }, [] {
    l.wait();
    sink(x);  // SECOND
  });
}

void call_once() {
  static std::once_flag f;
  auto work = [] {
    std::call_once(f, [] { x = 1; });
    sink(x);
  };
  together(work, work);
}

void call_once_outside() {
  static std::once_flag f;
  auto work = [] {
    std::call_once(f, [] { y = 1; });
    x++;  // FIRST, SECOND
  };
  together(work, work);
}

void static_guard() {
  auto work = [] { sink(lazily()); };
  together(work, work);
}

void future() {
  auto f = std::async(std::launch::async, [] { x = 1; });
  f.get();
  sink(x);
}

void promise() {
  static std::promise<int> p;
  auto f = p.get_future();
  std::thread t([] {
    x = 1;
    p.set_value(2);
  });
  f.get();
  sink(x);
  t.join();
}

void promise_late() {
  static std::promise<int> p;
  auto f = p.get_future();
  std::thread t([] {
    p.set_value(2);
    x = 1;  // FIRST
  });
  f.get();
  sink(x);  // SECOND
  t.join();
}

void atomic_wait() {
  static std::atomic<int> a{0};
  together([] { x = 1; a.store(1, std::memory_order_release); a.notify_one(); }, [] {
    a.wait(0, std::memory_order_acquire);
    sink(x);
  });
}

void atomic_wait_relaxed() {
  static std::atomic<int> a{0};
  together([] {
    x = 1;  // FIRST
    a.store(1, std::memory_order_relaxed);
    a.notify_one();
  }, [] {
    a.wait(0, std::memory_order_relaxed);
    sink(x);  // SECOND
  });
}

void exit_handlers() {
  std::atexit([] { sink(x); });
  std::thread t([] { x = 1; });
  t.join();
}

const Case kCases[] = {
    {"mutex", false, mutex, 0, 0},
    {"two_mutexes", true, two_mutexes, 24, 27},
    {"unlocked_reader", true, unlocked_reader, 34, 36},
    {"try_lock", false, try_lock, 0, 0},
    {"try_lock_failed", true, try_lock_failed, 53, 57},
    {"recursive", false, recursive, 0, 0},
    {"spin_lock", false, spin_lock, 0, 0},
    {"timed_lock", false, timed_lock, 0, 0},
    {"condvar", false, condvar, 0, 0},
    {"condvar_outside", true, condvar_outside, 118, 122},
    {"condvar_any", false, condvar_any, 0, 0},
    {"rwlock", false, rwlock, 0, 0},
    {"rwlock_reader_writes", true, rwlock_reader_writes, 151, 154},
    {"rwlock_writer_after_reader", false, rwlock_writer_after_reader, 0, 0},
    {"semaphore", false, semaphore, 0, 0},
    {"semaphore_late", true, semaphore_late, 173, 176},
    {"counting_semaphore", false, counting_semaphore, 0, 0},
    {"binary_semaphore_late", true, binary_semaphore_late, 189, 192},
    {"pthread_barrier", false, pthread_barrier, 0, 0},
    {"pthread_barrier_late", true, pthread_barrier_late, 207, 210},
    {"std_barrier", false, std_barrier, 0, 0},
    {"latch", false, latch, 0, 0},
    {"latch_late", true, latch_late, 228, 231},
    {"call_once", false, call_once, 0, 0},
    {"call_once_outside", true, call_once_outside, 248, 248},
    {"static_guard", false, static_guard, 0, 0},
    {"future", false, future, 0, 0},
    {"promise", false, promise, 0, 0},
    {"promise_late", true, promise_late, 281, 284},
    {"atomic_wait", false, atomic_wait, 0, 0},
    {"atomic_wait_relaxed", true, atomic_wait_relaxed, 299, 304},
    {"exit_handlers", false, exit_handlers, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
