// Conditions and locks of the standard library and POSIX, in the ways programs use them: ./counted_library NAME
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "named.hpp"

namespace {

using namespace std::chrono_literals;

std::atomic<int> x;
std::mutex m[3];
std::shared_mutex shared;
std::shared_timed_mutex shared_timed;
std::condition_variable changed, not_full, not_empty;
int level;

// --- buffers and conditions

void put() {
  std::unique_lock lock(m[0]);
  while (level == 1) not_full.wait(lock);
  ++level;
  not_empty.notify_one();
}
void take() {
  std::unique_lock lock(m[0]);
  while (level == 0) not_empty.wait(lock);
  --level;
  not_full.notify_one();
}
void buffer_of_one() { together(put, take); }
void buffer_two_puts() {
  together([] { put(), put(); }, [] { take(), take(); });
}
void buffer_two_takers() {
  together([] { put(), put(); }, take, take);
}
void waits_for_a_predicate() {
  together(
      [] {
        std::unique_lock lock(m[0]);
        changed.wait(lock, [] { return level == 2; });
      },
      [] {
        std::lock_guard lock(m[0]);
        ++level;
        changed.notify_one();
      },
      [] {
        std::lock_guard lock(m[0]);
        ++level;
        changed.notify_one();
      });
}
void notified_outside() {
  together(
      [] {
        std::unique_lock lock(m[0]);
        changed.wait(lock, [] { return level == 1; });
      },
      [] {
        {
          std::lock_guard lock(m[0]);
          level = 1;
        }
        changed.notify_one();
      });
}
void waits_for_a_while() {
  together(
      [] {
        std::unique_lock lock(m[0]);
        if (!changed.wait_for(lock, 1s, [] { return level == 1; })) x = 1;
      },
      [] {
        std::lock_guard lock(m[0]);
        level = 1;
        changed.notify_one();
      });
}
void condition_of_any_lock() {
  static std::condition_variable_any any;
  together(
      [] {
        std::shared_lock lock(shared);
        while (level == 0) any.wait(lock);
      },
      [] {
        std::unique_lock lock(shared);
        level = 1;
        any.notify_all();
      });
}
void posix_timed_condition() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  together(
      [] {
        timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_mutex_lock(&mutex);
        if (level == 0) pthread_cond_timedwait(&condition, &mutex, &until);
        pthread_mutex_unlock(&mutex);
      },
      [] {
        pthread_mutex_lock(&mutex);
        level = 1;
        pthread_mutex_unlock(&mutex);
        pthread_cond_signal(&condition);
      });
}
void readers_preferred() {  // Courtois, Heymans & Parnas 1971
  const auto read = [] {
    m[0].lock();
    if (++level == 1) m[1].lock();
    m[0].unlock();
    (void)x.load();
    m[0].lock();
    if (--level == 0) m[1].unlock();
    m[0].unlock();
  };
  const auto write = [] {
    std::lock_guard lock(m[1]);
    x = 1;
  };
  together(read, write);
}
void barber() {
  static sem_t customers, barbers;
  static int waiting;
  sem_init(&customers, 0, 0), sem_init(&barbers, 0, 0);
  const auto customer = [] {
    m[0].lock();
    if (waiting == 1) {
      m[0].unlock();
      return;
    }
    ++waiting;
    sem_post(&customers);
    m[0].unlock();
    sem_wait(&barbers);
  };
  together(
      [] {
        sem_wait(&customers);
        m[0].lock();
        --waiting;
        sem_post(&barbers);
        m[0].unlock();
      },
      customer, customer);
}

// --- locks

void several_tried() {
  together(
      [] {
        if (std::try_lock(m[0], m[1]) == -1) m[0].unlock(), m[1].unlock();
      },
      [] { std::lock_guard lock(m[1]); });
}
void upgraded() {
  const auto body = [] {
    {
      std::shared_lock lock(shared);
      if (level) return;
    }
    std::unique_lock lock(shared);
    if (!level) level = 1;
  };
  together(body, body);
}
void shared_tried() {
  together(
      [] {
        if (!shared.try_lock_shared()) return;
        (void)x.load();
        shared.unlock_shared();
      },
      [] {
        std::unique_lock lock(shared);
        x = 1;
      },
      [] {
        if (!shared.try_lock()) return;
        x = 2;
        shared.unlock();
      });
}
void shared_for_a_while() {
  together(
      [] {
        if (!shared_timed.try_lock_shared_for(1ms)) return;
        (void)x.load();
        shared_timed.unlock_shared();
      },
      [] {
        std::unique_lock lock(shared_timed);
        x = 1;
      });
}
void recursive_for_a_while() {
  static std::recursive_timed_mutex recursive;
  const auto body = [] {
    if (!recursive.try_lock_for(1ms)) return;
    recursive.lock();
    x.fetch_add(1);
    recursive.unlock();
    recursive.unlock();
  };
  together(body, body);
}
void error_checking() {
  static pthread_mutex_t mutex;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  together(
      [] {
        pthread_mutex_lock(&mutex);
        if (pthread_mutex_lock(&mutex) != 0) x = 1;
        pthread_mutex_unlock(&mutex);
      },
      [] {
        pthread_mutex_lock(&mutex);
        (void)x.load();
        pthread_mutex_unlock(&mutex);
      });
}
void c11_locks() {
  static mtx_t mutex;
  mtx_init(&mutex, mtx_plain);
  together(
      [] {
        mtx_lock(&mutex);
        x = 1;
        mtx_unlock(&mutex);
      },
      [] {
        if (mtx_trylock(&mutex) != thrd_success) return;
        (void)x.load();
        mtx_unlock(&mutex);
      });
}

constexpr Named kPrograms[] = {
    NAMED(buffer_of_one),
    NAMED(buffer_two_puts),
    NAMED(buffer_two_takers),
    NAMED(waits_for_a_predicate),
    NAMED(notified_outside),
    NAMED(waits_for_a_while),
    NAMED(condition_of_any_lock),
    NAMED(posix_timed_condition),
    NAMED(readers_preferred),
    NAMED(barber),
    NAMED(several_tried),
    NAMED(upgraded),
    NAMED(shared_tried),
    NAMED(shared_for_a_while),
    NAMED(recursive_for_a_while),
    NAMED(error_checking),
    NAMED(c11_locks),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
