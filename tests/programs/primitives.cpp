// One small use of every primitive: correct programs that pass under every schedule, and natively.
#include "named.hpp"

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>

using namespace std::chrono_literals;

namespace {

void mutex_counter() {
  std::mutex m;
  int n = 0;
  auto work = [&] {
    std::lock_guard lock(m);
    ++n;
  };
  together(work, work);
  assert(n == 2);
}

void mutex_try() {
  std::mutex m;
  std::atomic<int> got{0};
  auto work = [&] {
    if (m.try_lock()) {
      got.fetch_add(1);
      m.unlock();
    }
  };
  together(work, work);
  assert(got >= 1);
}

void mutex_recursive() {
  std::recursive_mutex m;
  int n = 0;
  auto work = [&] {
    std::lock_guard outer(m);
    std::lock_guard inner(m);
    ++n;
  };
  together(work, work);
  assert(n == 2);
}

void mutex_errorcheck() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t m;
  pthread_mutex_init(&m, &attributes);
  assert(pthread_mutex_unlock(&m) == EPERM);
  pthread_mutex_lock(&m);
  assert(pthread_mutex_lock(&m) == EDEADLK);
  together([&] {
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_unlock(&m) == EPERM);
  });
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_destroy(&m) == 0);
}

void mutex_timed() {
  std::timed_mutex m;
  m.lock();
  together([&] { assert(!m.try_lock_for(1ms)); });
  m.unlock();
  together([&] {
    assert(m.try_lock_for(1h));
    m.unlock();
  });
}

void condvar_flag() {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  together(
      [&] {
        std::unique_lock lock(m);
        c.wait(lock, [&] { return ready; });
      },
      [&] {
        std::lock_guard lock(m);
        ready = true;
        c.notify_one();
      });
}

void condvar_broadcast() {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  auto wait = [&] {
    std::unique_lock lock(m);
    c.wait(lock, [&] { return ready; });
  };
  together(wait, wait, [&] {
    std::lock_guard lock(m);
    ready = true;
    c.notify_all();
  });
}

void condvar_timeout() {
  std::mutex m;
  std::condition_variable c;
  std::unique_lock lock(m);
  const auto before = std::chrono::steady_clock::now();
  assert(c.wait_for(lock, 10ms) == std::cv_status::timeout);
  assert(std::chrono::steady_clock::now() - before >= 10ms);
  assert(c.wait_until(lock, std::chrono::system_clock::now() + 1ms) == std::cv_status::timeout);
}

void condvar_any() {
  std::shared_mutex m;
  std::condition_variable_any c;
  bool ready = false;
  together(
      [&] {
        std::shared_lock lock(m);
        c.wait(lock, [&] { return ready; });
      },
      [&] {
        {
          std::lock_guard lock(m);
          ready = true;
        }
        c.notify_all();
      });
}

void rwlock() {
  std::shared_mutex m;
  int n = 0;
  auto read = [&] {
    std::shared_lock lock(m);
    const int seen = n;
    assert(seen == 0 || seen == 1);
  };
  together(read, read, [&] {
    std::lock_guard lock(m);
    ++n;
  });
  assert(n == 1);
}

void rwlock_timed() {
  std::shared_timed_mutex m;
  m.lock();
  together([&] {
    assert(!m.try_lock_shared());
    assert(!m.try_lock_shared_for(1ms));
    assert(!m.try_lock_for(1ms));
  });
  m.unlock();
}

void semaphore_posix() {
  sem_t s;
  sem_init(&s, 0, 1);
  int n = 0;
  auto work = [&] {
    sem_wait(&s);
    ++n;
    sem_post(&s);
  };
  together(work, work);
  int value = -1;
  sem_getvalue(&s, &value);
  assert(n == 2 && value == 1);
  assert(sem_trywait(&s) == 0);
  assert(sem_trywait(&s) == -1 && errno == EAGAIN);
  timespec past{1, 0};
  assert(sem_timedwait(&s, &past) == -1 && errno == ETIMEDOUT);
  sem_destroy(&s);
}

void semaphore_std() {
  std::counting_semaphore<4> s(0);
  together([&] { s.release(); }, [&] { s.acquire(); });
  assert(!s.try_acquire());
  assert(!s.try_acquire_for(1ms));
}

void barrier_pthread() {
  pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 2);
  std::atomic<int> serial{0}, before{0};
  auto work = [&] {
    before.fetch_add(1);
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) serial.fetch_add(1);
    assert(before.load() == 2);
  };
  together(work, work);
  assert(serial == 1);
  pthread_barrier_destroy(&b);
}

void barrier_std() {
  int phases = 0;
  std::barrier b(2, [&]() noexcept { ++phases; });
  auto work = [&] { b.arrive_and_wait(); };
  together(work, work);
  assert(phases == 1);
}

void latch() {
  std::latch l(2);
  std::atomic<int> n{0};
  auto work = [&] {
    n.fetch_add(1);
    l.count_down();
  };
  together(work, work, [&] {
    l.wait();
    assert(n.load() == 2);
  });
}

void spin() {
  pthread_spinlock_t s;
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  int n = 0;
  auto work = [&] {
    pthread_spin_lock(&s);
    ++n;
    pthread_spin_unlock(&s);
  };
  together(work, work);
  assert(n == 2 && pthread_spin_trylock(&s) == 0 && pthread_spin_trylock(&s) == EBUSY);
  pthread_spin_unlock(&s);
  pthread_spin_destroy(&s);
}

void once() {
  std::once_flag flag;
  int n = 0;
  auto work = [&] {
    std::call_once(flag, [&] { ++n; });
    assert(n == 1);
  };
  together(work, work);
}

void once_throws() {
  std::once_flag flag;
  int tries = 0;
  auto work = [&] {
    try {
      std::call_once(flag, [&] {
        if (++tries == 1) throw 1;
      });
    } catch (int) {
    }
  };
  together(work, work);
  assert(tries == 2);
}

const Named kAll[] = {
    NAMED(mutex_counter),
    NAMED(mutex_try),
    NAMED(mutex_recursive),
    NAMED(mutex_errorcheck),
    NAMED(mutex_timed),
    NAMED(condvar_flag),
    NAMED(condvar_broadcast),
    NAMED(condvar_timeout),
    NAMED(condvar_any),
    NAMED(rwlock),
    NAMED(rwlock_timed),
    NAMED(semaphore_posix),
    NAMED(semaphore_std),
    NAMED(barrier_pthread),
    NAMED(barrier_std),
    NAMED(latch),
    NAMED(spin),
    NAMED(once),
    NAMED(once_throws),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kAll, argc, argv); }
