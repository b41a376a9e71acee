// Readers-writer locks, semaphores, barriers, spin locks.
#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <shared_mutex>

#include "conformance.hpp"

CASE(rwlock_share) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  ERROR(pthread_rwlock_rdlock(&l));
  together([&] {
    ERROR(pthread_rwlock_tryrdlock(&l));
    ERROR(pthread_rwlock_trywrlock(&l));
    ERROR(pthread_rwlock_unlock(&l));
  });
  ERROR(pthread_rwlock_unlock(&l));
  ERROR(pthread_rwlock_wrlock(&l));
  ERROR(pthread_rwlock_wrlock(&l));
  together([&] {
    ERROR(pthread_rwlock_tryrdlock(&l));
    ERROR(pthread_rwlock_trywrlock(&l));
  });
  ERROR(pthread_rwlock_unlock(&l));
  ERROR(pthread_rwlock_destroy(&l));
}

CASE(rwlock_timed) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&l);
  together([&] {
    timespec t = past();
    ERROR(pthread_rwlock_timedrdlock(&l, &t));
    ERROR(pthread_rwlock_timedwrlock(&l, &t));
    ERROR(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &t));
    ERROR(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t));
  });
  pthread_rwlock_unlock(&l);
  timespec t = in(CLOCK_REALTIME, 3600'000);
  ERROR(pthread_rwlock_timedrdlock(&l, &t));
  pthread_rwlock_unlock(&l);
  ERROR(pthread_rwlock_timedwrlock(&l, &t));
  pthread_rwlock_unlock(&l);
  t = in(CLOCK_MONOTONIC, 3600'000);
  ERROR(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &t));
  pthread_rwlock_unlock(&l);
  ERROR(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t));
  pthread_rwlock_unlock(&l);
}

CASE(rwlock_counter) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  int n = 0;
  std::atomic<int> odd{0};
  auto write = [&] {
    pthread_rwlock_wrlock(&l);
    ++n;
    sched_yield();
    ++n;
    pthread_rwlock_unlock(&l);
  };
  auto read = [&] {
    pthread_rwlock_rdlock(&l);
    if (n % 2) odd = 1;
    pthread_rwlock_unlock(&l);
  };
  together(write, read, write, read);
  SHOW(n);
  SHOW(odd.load());
}

CASE(rwlock_std) {
  std::shared_timed_mutex m;
  m.lock();
  together([&] {
    SHOW(m.try_lock_shared_for(std::chrono::milliseconds(1)));
    SHOW(m.try_lock_for(std::chrono::milliseconds(1)));
  });
  m.unlock();
}

CASE(sem_counts) {
  sem_t s;
  sem_init(&s, 0, 1);
  int n = 0;
  auto work = [&] {
    sem_wait(&s);
    ++n;
    sem_post(&s);
  };
  together(work, work);
  SHOW(n);
  int value = -1;
  sem_getvalue(&s, &value);
  SHOW(value);
  together([&] { ERRNO(sem_trywait(&s)); });
  ERRNO(sem_trywait(&s));
  timespec t = past(), bad{0, -1};
  ERRNO(sem_timedwait(&s, &t));
  ERRNO(sem_clockwait(&s, CLOCK_MONOTONIC, &t));
  ERRNO(sem_timedwait(&s, &bad));
  sem_post(&s);
  ERRNO(sem_timedwait(&s, &t));
  sem_post(&s);
  ERRNO(sem_clockwait(&s, CLOCK_MONOTONIC, &t));
  ERRNO(sem_destroy(&s));
}

CASE(sem_looked_at) {
  sem_t s;
  sem_init(&s, 0, 0);
  int value = 0;
  together([&] { sem_post(&s); },
           [&] {
             while (value == 0) sem_getvalue(&s, &value);
           });
  SHOW(value);
}

CASE(sem_overflow) {
  sem_t s;
  sem_init(&s, 0, 0x7fffffff);
  ERRNO(sem_post(&s));
}

CASE(sem_blocks) {
  sem_t items, space;
  sem_init(&items, 0, 0);
  sem_init(&space, 0, 1);
  int sum = 0, slot = 0;
  together(
      [&] {
        for (int i = 1; i <= 2; ++i) {
          sem_wait(&space);
          slot = i;
          sem_post(&items);
        }
      },
      [&] {
        for (int i = 1; i <= 2; ++i) {
          sem_wait(&items);
          sum += slot;
          sem_post(&space);
        }
      });
  SHOW(sum);
}

static const char* name_of_its_own() {
  static char name[64];
  std::snprintf(name, sizeof name, "/lockstep-conformance-%d", getpid());
  return name;
}
static sem_t* make_named() { return sem_open(name_of_its_own(), O_CREAT | O_EXCL, 0600, 1u); }

CASE(sem_named) {
  const char* name = name_of_its_own();
  SHOW(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  SHOW(sem_open("/", O_CREAT, 0600, 1u) == SEM_FAILED && errno == EINVAL);
  sem_t* s = make_named();
  SHOW(s != SEM_FAILED);
  SHOW(make_named() == SEM_FAILED && errno == EEXIST);
  sem_t* again = sem_open(name, 0);
  SHOW(again == s);
  int n = 0;
  auto work = [&] {
    sem_wait(s);
    ++n;
    sem_post(s);
  };
  together(work, work);
  SHOW(n);
  SHOW(sem_unlink(name));
  ERRNO(sem_unlink(name));
  SHOW(sem_close(s));
  SHOW(sem_trywait(again));
  SHOW(sem_close(again));
}
CASE(repeat_sem_named) {  // left open: what the next execution sees is as new
  sem_unlink(name_of_its_own());
  sem_t* s = make_named();
  SHOW(reinterpret_cast<long>(s));
  SHOW(sem_unlink(name_of_its_own()));
}

CASE(sem_std) {
  std::counting_semaphore<2> s(0);
  together([&] { s.release(); }, [&] { s.acquire(); });
  SHOW(s.try_acquire());
  SHOW(s.try_acquire_for(std::chrono::milliseconds(1)));
}

CASE(barrier_rounds) {
  pthread_barrier_t b;
  ERROR(pthread_barrier_init(&b, nullptr, 0));
  ERROR(pthread_barrier_init(&b, nullptr, 2));
  std::atomic<int> serial{0}, early{0}, arrived{0};
  auto work = [&] {
    for (int round = 1; round <= 2; ++round) {
      arrived.fetch_add(1);
      if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) serial.fetch_add(1);
      if (arrived.load() < 2 * round) early = 1;
    }
  };
  together(work, work);
  SHOW(serial.load());
  SHOW(early.load());
  ERROR(pthread_barrier_destroy(&b));
}

CASE(barrier_std) {
  int phases = 0;
  std::barrier b(2, [&]() noexcept { ++phases; });
  auto work = [&] {
    b.arrive_and_wait();
    b.arrive_and_wait();
  };
  together(work, work);
  SHOW(phases);
  std::latch l(2);
  std::atomic<int> n{0};
  auto count = [&] {
    n.fetch_add(1);
    l.count_down();
  };
  together(count, count, [&] {
    l.wait();
    assert(n == 2);
  });
  SHOW(n.load());
}

CASE(spin_lock) {
  pthread_spinlock_t s;
  ERROR(pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE));
  int n = 0;
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      pthread_spin_lock(&s);
      ++n;
      pthread_spin_unlock(&s);
    }
  };
  together(work, work);
  SHOW(n);
  ERROR(pthread_spin_trylock(&s));
  together([&] { ERROR(pthread_spin_trylock(&s)); });
  ERROR(pthread_spin_unlock(&s));
  pthread_spin_destroy(&s);
}

CASE(repeat_sem_reused) {
  sem_t s;
  for (int round = 0; round < 2; ++round) {
    ERROR(sem_init(&s, 0, 1));
    ERROR(sem_wait(&s));
    ERROR(sem_destroy(&s));
  }
}
CASE(repeat_barrier_destroyed) {
  pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 1);
  ERROR(pthread_barrier_destroy(&b));
  ERROR(pthread_barrier_wait(&b));
}
