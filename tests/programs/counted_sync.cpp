// The same over locks, condition variables, semaphores and barriers.
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdlib>
#include <latch>
#include <lockstep/lockstep.hpp>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

#include "named.hpp"

namespace {

using namespace std::chrono_literals;

std::atomic<int> x, y;
std::mutex m[3];
std::recursive_mutex recursive;
std::timed_mutex timed;
std::shared_mutex shared;
std::condition_variable changed;
int guarded;
bool ready;

void locked(std::mutex& mutex) {
  std::lock_guard lock(mutex);
  ++guarded;
}

// --- mutexes

void same_order() {
  const auto body = [] { std::lock_guard a(m[0]), b(m[1]), c(m[2]); };
  together(body, body);
}
void overlapping() {
  together([] { std::lock_guard a(m[0]), b(m[1]); }, [] { std::lock_guard b(m[1]), c(m[2]); },
           [] { std::lock_guard c(m[2]); });
}
void hand_over_hand() {
  const auto body = [] {
    m[0].lock();
    m[1].lock();
    m[0].unlock();
    m[2].lock();
    m[1].unlock();
    m[2].unlock();
  };
  together(body, body);
}
void philosophers() {
  const auto body = [](int i) { return [i] { std::lock_guard left(m[i]), right(m[(i + 1) % 3]); }; };
  together(body(0), body(1), body(2));
}
void recursion() {
  const auto body = [] {
    std::lock_guard outer(recursive);
    std::lock_guard inner(recursive);
    ++guarded;
  };
  together(body, body, body);
}
void try_twice() {
  together([] { locked(m[0]); },
           [] {
             for (int tries = 0; tries < 2; ++tries)
               if (m[0].try_lock()) {
                 ++guarded;
                 m[0].unlock();
                 break;
               }
           });
}
void try_until() {
  const auto body = [] {
    while (!m[0].try_lock()) {
    }
    ++guarded;
    m[0].unlock();
  };
  together(body, body);
}
void timed_lock() {
  const auto body = [] {
    if (timed.try_lock_for(1ms)) {
      ++guarded;
      timed.unlock();
    }
  };
  together(body, body);
}
void lock_and_look() {
  together(
      [] {
        locked(m[0]);
        x = 1;
      },
      [] {
        locked(m[0]);
        x = 2;
      },
      [] { (void)x.load(); });
}
void double_checked() {
  const auto body = [] {
    if (x.load()) return;
    std::lock_guard lock(m[0]);
    if (!x.load()) x = 1;
  };
  together(body, body);
}
void spin_locks() {
  static pthread_spinlock_t spin;
  pthread_spin_init(&spin, 0);
  const auto body = [] {
    pthread_spin_lock(&spin);
    ++guarded;
    pthread_spin_unlock(&spin);
  };
  together(body, body, body);
}

// --- readers and writers

void two_readers_one_writer() {
  const auto reader = [] {
    std::shared_lock lock(shared);
    (void)x.load();
  };
  together(reader, reader, [] {
    std::unique_lock lock(shared);
    x = 1;
  });
}
void posix_readers() {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  together(
      [] {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
      },
      [] {
        if (pthread_rwlock_trywrlock(&lock) == 0) pthread_rwlock_unlock(&lock);
      },
      [] {
        if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock);
      });
}
void writers_and_reader() {
  const auto writer = [] {
    std::unique_lock lock(shared);
    ++guarded;
  };
  together(writer, writer, [] { std::shared_lock lock(shared); });
}

// --- condition variables

void wait_until_ready() {
  std::unique_lock lock(m[0]);
  changed.wait(lock, [] { return ready; });
}
void set_ready() {
  std::lock_guard lock(m[0]);
  ready = true;
}
void one_waiter() {
  together(wait_until_ready, [] { set_ready(), changed.notify_one(); });
}
void two_waiters_one_notified() {
  together(wait_until_ready, wait_until_ready, [] { set_ready(), changed.notify_one(); });
}
void two_waiters_all_notified() {
  together(wait_until_ready, wait_until_ready, [] { set_ready(), changed.notify_all(); });
}
void lost_wakeup() {
  together(
      [] {
        std::unique_lock lock(m[0]);
        changed.wait(lock);
      },
      [] { changed.notify_one(); });
}
void one_slot() {
  static std::condition_variable full, empty;
  together(
      [] {
        for (int i = 0; i < 2; ++i) {
          std::unique_lock lock(m[0]);
          empty.wait(lock, [] { return guarded == 0; });
          guarded = 1;
          full.notify_one();
        }
      },
      [] {
        for (int i = 0; i < 2; ++i) {
          std::unique_lock lock(m[0]);
          full.wait(lock, [] { return guarded == 1; });
          guarded = 0;
          empty.notify_one();
        }
      });
}
void ping_pong() {
  const auto body = [](int me) {
    return [me] {
      std::unique_lock lock(m[0]);
      changed.wait(lock, [me] { return guarded % 2 == me; });
      ++guarded;
      changed.notify_all();
    };
  };
  together(body(0), body(1));
}
void timed_wait() {
  together(
      [] {
        std::unique_lock lock(m[0]);
        (void)changed.wait_for(lock, 1ms);
      },
      [] {
        locked(m[0]);
        changed.notify_one();
      });
}
void c11_condition() {
  static mtx_t mutex;
  static cnd_t condition;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  together(
      [] {
        mtx_lock(&mutex);
        while (!ready) cnd_wait(&condition, &mutex);
        mtx_unlock(&mutex);
      },
      [] {
        mtx_lock(&mutex);
        ready = true;
        cnd_signal(&condition);
        mtx_unlock(&mutex);
      });
}
void stop_requested() {
  std::jthread thread([](std::stop_token token) {
    while (!token.stop_requested()) std::this_thread::yield();
    ++x;
  });
  ++x;
}

// --- semaphores, barriers, latches, once

void semaphore_as_lock() {
  static std::counting_semaphore<> semaphore{1};
  const auto body = [] {
    semaphore.acquire();
    ++guarded;
    semaphore.release();
  };
  together(body, body);
}
void posix_semaphore_as_lock() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  const auto body = [] {
    sem_wait(&semaphore);
    ++guarded;
    sem_post(&semaphore);
  };
  together(body, body, body);
}
void produced_and_consumed() {
  static sem_t items;
  sem_init(&items, 0, 0);
  together([] { sem_post(&items), sem_post(&items); }, [] { sem_wait(&items); }, [] { sem_wait(&items); });
}
void semaphore_tried() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  const auto body = [] {
    if (sem_trywait(&semaphore) == 0) sem_post(&semaphore);
  };
  together(body, body);
}
void try_acquire() {
  static std::binary_semaphore semaphore{1};
  const auto body = [] {
    if (semaphore.try_acquire()) semaphore.release();
  };
  together(body, body);
}
void too_few_posts() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const auto body = [] { sem_wait(&semaphore); };
  together(body, body, [] { sem_post(&semaphore); });
}
void posix_barrier() {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto body = [] {
    ++x;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++y;
    ++x;
  };
  together(body, body);
}
void once() {
  static std::once_flag flag;
  const auto body = [] {
    std::call_once(flag, [] { ++x; });
    ++y;
  };
  together(body, body);
}
void once_after_a_throw() {
  static std::once_flag flag;
  static int tries = 0;
  const auto body = [] {
    try {
      std::call_once(flag, [] {
        if (++tries == 1) throw 1;
      });
    } catch (int) {
    }
  };
  together(body, body);
}

// --- what fails

void abba() {
  together([] { std::lock_guard a(m[0]), b(m[1]); }, [] { std::lock_guard b(m[1]), a(m[0]); });
}
void abba_beside_work() {
  together([] { std::lock_guard a(m[0]), b(m[1]); }, [] { std::lock_guard b(m[1]), a(m[0]); }, [] { ++x, ++x; },
           [] { ++x; });
}
void mutex_kept() {
  together([] { m[0].lock(); }, [] { locked(m[0]); }, [] { ++x; });
}
void robust_owner_dies() {
  static pthread_mutex_t robust;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  const auto lock = [] {
    if (pthread_mutex_lock(&robust) == EOWNERDEAD) pthread_mutex_consistent(&robust);
  };
  together([lock] { lock(); },
           [lock] {
             lock();
             pthread_mutex_unlock(&robust);
           });
}

// Whether the one who chooses waits already when the other ends depends on who gets the last lock, and whether it ever
// chooses on who gets the first.
void chosen_after_a_join() {
  together([] { m[0].lock(); },
           [] {
             std::thread inner([] {
               m[0].lock();
               x = 1;
             });
             m[1].lock();
             inner.join();
             lockstep::choose(2);
           },
           [] {
             y = 1;
             x = 2;
             m[1].lock();
           });
}

constexpr Named kPrograms[] = {
    NAMED(same_order),
    NAMED(overlapping),
    NAMED(hand_over_hand),
    NAMED(philosophers),
    NAMED(recursion),
    NAMED(try_twice),
    NAMED(try_until),
    NAMED(timed_lock),
    NAMED(lock_and_look),
    NAMED(double_checked),
    NAMED(spin_locks),
    NAMED(two_readers_one_writer),
    NAMED(posix_readers),
    NAMED(writers_and_reader),
    NAMED(one_waiter),
    NAMED(two_waiters_one_notified),
    NAMED(two_waiters_all_notified),
    NAMED(lost_wakeup),
    NAMED(one_slot),
    NAMED(ping_pong),
    NAMED(timed_wait),
    NAMED(c11_condition),
    NAMED(stop_requested),
    NAMED(semaphore_as_lock),
    NAMED(posix_semaphore_as_lock),
    NAMED(produced_and_consumed),
    NAMED(semaphore_tried),
    NAMED(try_acquire),
    NAMED(too_few_posts),
    NAMED(posix_barrier),
    NAMED(once),
    NAMED(once_after_a_throw),
    NAMED(abba),
    NAMED(abba_beside_work),
    NAMED(chosen_after_a_join),
    NAMED(mutex_kept),
    NAMED(robust_owner_dies),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
