// One small use of every primitive, chosen by name: correct programs that pass under every schedule. Run natively they
// pass as well. `primitives list` prints the names.
#undef NDEBUG
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

template <class... F>
void together(F... body) {
  std::vector<std::thread> threads;
  (threads.emplace_back(body), ...);
  for (auto& t : threads) t.join();
}

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

struct Slow {
  int value;
  Slow() {
    std::this_thread::yield();
    value = 5;
  }
};
void local_static() {
  auto work = [] {
    static Slow s;
    assert(s.value == 5);
  };
  together(work, work);
}

void atomic_wait() {
  std::atomic<int> a{0};
  together([&] { a.wait(0); },
           [&] {
             a.store(1);
             a.notify_one();
           });
}

void futures() {
  std::promise<int> p;
  auto f = p.get_future();
  together([&] { p.set_value(7); });
  assert(f.get() == 7);
  auto a = std::async(std::launch::async, [] { return 3; });
  assert(a.get() == 3);
  auto e = std::async(std::launch::async, []() -> int { throw std::runtime_error("boom"); });
  bool caught = false;
  try {
    e.get();
  } catch (const std::runtime_error& error) {
    caught = std::strcmp(error.what(), "boom") == 0;
  }
  assert(caught);
}

void jthread_stop() {
  std::jthread t([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
}

void shared_pointer() {
  auto p = std::make_shared<int>(1);
  std::weak_ptr<int> w = p;
  together([p] { assert(*p == 1); }, [w] {
    if (auto q = w.lock()) assert(*q == 1);
  });
}

void atomic_shared_pointer() {
  std::atomic<std::shared_ptr<int>> a;
  together([&] { a.store(std::make_shared<int>(3)); },
           [&] {
             auto p = a.load();
             assert(!p || *p == 3);
           });
  assert(*a.load() == 3);
}

std::atomic<int> alive{0};
struct Local {
  int value = 42;
  Local() { alive.fetch_add(1); }
  ~Local() { alive.fetch_sub(1); }
};
thread_local Local local;
thread_local std::string text = "thread-local text with a heap buffer of its own";
void thread_locals() {
  auto work = [](int id) {
    assert(local.value == 42 && text.size() == 47);
    local.value = id;
    text += "!";
    std::this_thread::yield();
    assert(local.value == id && text.size() == 48);
  };
  together([&] { work(1); }, [&] { work(2); });
  assert(alive == 0);
}

pthread_key_t key;
std::atomic<int> key_destroyed{0};
void keys() {
  pthread_key_create(&key, [](void* p) { key_destroyed.fetch_add(*static_cast<int*>(p)); });
  static int one = 1;
  auto work = [] {
    assert(!pthread_getspecific(key));
    pthread_setspecific(key, &one);
    assert(pthread_getspecific(key) == &one);
  };
  together(work, work);
  assert(key_destroyed == 2);
  pthread_key_delete(key);
}

void thread_exit() {
  struct Guard {
    bool* set;
    ~Guard() { *set = true; }
  };
  bool unwound = false;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void* p) -> void* {
        Guard guard{static_cast<bool*>(p)};
        std::this_thread::yield();
        pthread_exit(reinterpret_cast<void*>(5));
      },
      &unwound);
  void* result = nullptr;
  assert(pthread_join(t, &result) == 0);
  assert(unwound && result == reinterpret_cast<void*>(5));
  assert(pthread_join(pthread_self(), nullptr) == EDEADLK);
}

void detached() {
  auto done = std::make_shared<std::atomic<int>>(0);
  std::thread([done] {
    done->store(1);
    done->notify_one();
  }).detach();
  done->wait(0);
}

void sleeping() {
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(20ms);
  usleep(1000);
  assert(std::chrono::steady_clock::now() - before >= 21ms);
  std::atomic<int> n{0};
  together(
      [&] {
        std::this_thread::sleep_for(1ms);
        n.fetch_add(1);
      },
      [&] { n.fetch_add(1); });
}

// What one thread measured, another must not see in the future.
void clock_is_causal() {
  std::mutex m;
  auto latest = std::chrono::steady_clock::now();
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard lock(m);
      const auto now = std::chrono::steady_clock::now();
      assert(now >= latest);
      latest = now;
    }
  };
  together(work, work);
}

void exceptions_across_switches() {
  std::mutex m;
  int n = 0;
  auto work = [&](int id) {
    try {
      std::lock_guard lock(m);
      throw id;
    } catch (int caught) {
      std::this_thread::yield();
      assert(caught == id);
      try {
        throw;
      } catch (int again) {
        assert(again == id);
      }
      std::lock_guard lock(m);
      ++n;
    }
  };
  together([&] { work(1); }, [&] { work(2); });
  assert(n == 2);
}

void nested_threads() {
  std::atomic<int> n{0};
  auto parent = [&] {
    std::thread child([&] { n.fetch_add(1); });
    n.fetch_add(1);
    child.join();
  };
  together(parent, parent);
  assert(n == 4);
}

void spin_loop() {
  std::atomic<int> flag{0};
  int data = 0;
  together(
      [&] {
        data = 1;
        flag.store(1);
      },
      [&] {
        while (!flag.load()) {
        }
        assert(data == 1);
      });
}

void wide_atomics() {
  std::atomic<unsigned char> a{0};
  std::atomic<short> b{0};
  std::atomic<long> c{0};
  auto work = [&] {
    a.fetch_or(1);
    b.fetch_sub(1);
    c.fetch_xor(3);
    long expected = 3;
    c.compare_exchange_strong(expected, 3);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  };
  together(work, work);
  assert(a == 1 && b == -2 && c == 0);
}

struct Case {
  const char* name;
  void (*run)();
};
#define CASE(f) {#f, f}
const Case kCases[] = {
    CASE(mutex_counter), CASE(mutex_try), CASE(mutex_recursive), CASE(mutex_errorcheck), CASE(mutex_timed),
    CASE(condvar_flag), CASE(condvar_broadcast), CASE(condvar_timeout), CASE(condvar_any), CASE(rwlock), CASE(rwlock_timed),
    CASE(semaphore_posix), CASE(semaphore_std), CASE(barrier_pthread), CASE(barrier_std), CASE(latch), CASE(spin), CASE(once),
    CASE(once_throws), CASE(local_static), CASE(atomic_wait), CASE(futures), CASE(jthread_stop), CASE(shared_pointer),
    CASE(atomic_shared_pointer), CASE(thread_locals), CASE(keys), CASE(thread_exit), CASE(detached), CASE(sleeping),
    CASE(clock_is_causal), CASE(exceptions_across_switches), CASE(nested_threads), CASE(spin_loop), CASE(wide_atomics)};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kCases) {
    if (argc > 1 && std::strcmp(argv[1], "list") == 0) {
      std::puts(c.name);
    } else if (argc < 2 || std::strcmp(argv[1], c.name) == 0) {
      c.run();
      if (argc > 1) return 0;
    }
  }
  return argc > 1 && std::strcmp(argv[1], "list") != 0 ? 2 : 0;
}
