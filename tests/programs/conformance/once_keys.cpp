// One-time initialisation, thread-specific data, thread-local destructors.
#include <atomic>
#include <mutex>

#include "conformance.hpp"

CASE(once_runs_once) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static int n;
  auto work = [] {
    pthread_once(&once, [] {
      sched_yield();
      ++n;
    });
    assert(n == 1);
  };
  together(work, work);
  SHOW(n);
}

CASE(once_throws) {
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
  SHOW(tries);
}

struct Slow {
  int value;
  Slow() {
    sched_yield();
    value = 5;
  }
};
CASE(once_static) {
  auto work = [] {
    static Slow s;
    assert(s.value == 5);
  };
  together(work, work);
  static int tries;
  struct Throws {
    Throws() {
      if (++tries == 1) throw 1;
    }
  };
  auto attempt = [] {
    try {
      static Throws t;
    } catch (int) {
    }
  };
  together(attempt, attempt);
  SHOW(tries);
}

static pthread_key_t key;
static std::atomic<int> destroyed;
CASE(keys_values) {
  ERROR(pthread_key_create(&key, [](void* p) { destroyed.fetch_add(static_cast<int>(reinterpret_cast<long>(p))); }));
  auto work = [] {
    assert(!pthread_getspecific(key));
    assert(pthread_setspecific(key, reinterpret_cast<void*>(3)) == 0);
    sched_yield();
    assert(pthread_getspecific(key) == reinterpret_cast<void*>(3));
  };
  together(work, work);
  SHOW(destroyed.load());
  ERROR(pthread_key_delete(key));
  ERROR(pthread_key_delete(key));
  ERROR(pthread_setspecific(key, &key));
}

CASE(keys_destructor_sets_again) {
  static std::atomic<int> rounds;
  pthread_key_create(&key, [](void* p) {
    if (rounds.fetch_add(1) < 2) pthread_setspecific(key, p);
  });
  together([] { pthread_setspecific(key, &key); });
  SHOW(rounds.load());
}

struct Local {
  int value = 42;
  ~Local() { destroyed.fetch_add(1); }
};
static thread_local Local local;
CASE(keys_thread_local) {
  auto work = [] {
    assert(local.value == 42);
    local.value = 1;
    sched_yield();
    assert(local.value == 1);
  };
  together(work, work);
  SHOW(destroyed.load());
}
