#include <semaphore.h>
#include <unistd.h>

#include <atomic>

#include "conformance.hpp"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t never;
static std::atomic<int> step;

static void end_of(pthread_t t) {
  void* result = nullptr;
  ERROR(pthread_join(t, &result));
  SHOW(result == PTHREAD_CANCELED);
}

struct Guard {
  const char* text;
  ~Guard() { std::puts(text); }
};

CASE(cancel_cond_wait) {
  pthread_t t = start([](void*) -> void* {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(
        [](void*) {
          std::puts("cleanup holds the mutex");
          pthread_mutex_unlock(&m);
        },
        nullptr);
    for (;;) pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return nullptr;
  });
  assert(pthread_cancel(t) == 0);
  end_of(t);
  ERROR(pthread_mutex_trylock(&m));
}

CASE(cancel_sem_wait) {
  sem_init(&never, 0, 0);
  pthread_t t = start([](void*) -> void* {
    Guard guard{"unwound"};
    sem_wait(&never);
    return nullptr;
  });
  assert(pthread_cancel(t) == 0);
  end_of(t);
}

CASE(cancel_join) {
  sem_init(&never, 0, 0);
  static pthread_t inner;
  inner = start([](void*) -> void* {
    sem_wait(&never);
    return nullptr;
  });
  pthread_t t = start([](void*) -> void* {
    pthread_join(inner, nullptr);
    return nullptr;
  });
  assert(pthread_cancel(t) == 0);
  end_of(t);
  sem_post(&never);
  ERROR(pthread_join(inner, nullptr));
}

CASE(cancel_sleep) {
  pthread_t t = start([](void*) -> void* {
    for (;;) usleep(1000);
    return nullptr;
  });
  assert(pthread_cancel(t) == 0);
  end_of(t);
}

CASE(cancel_test) {
  pthread_t t = start([](void*) -> void* {
    for (;;) {
      pthread_testcancel();
      sched_yield();
    }
    return nullptr;
  });
  assert(pthread_cancel(t) == 0);
  end_of(t);
}

CASE(cancel_disabled) {
  pthread_t t = start([](void*) -> void* {
    int old = -1;
    ERROR(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    SHOW(old == PTHREAD_CANCEL_ENABLE);
    ERROR(pthread_setcancelstate(7, nullptr));
    step.store(1);
    while (step.load() != 2) sched_yield();
    pthread_testcancel();
    std::puts("not yet");
    ERROR(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
    pthread_testcancel();
    std::puts("never");
    return nullptr;
  });
  while (step.load() != 1) sched_yield();
  ERROR(pthread_cancel(t));
  step.store(2);
  end_of(t);
}

// In C: unwinding from a call that C++ knows not to throw would end the program.
extern "C" void* c_thread_asynchronous(void*);
extern "C" int c_step;
CASE(cancel_asynchronous) {
  pthread_t t = start(c_thread_asynchronous);
  while (__atomic_load_n(&c_step, __ATOMIC_SEQ_CST) != 1) sched_yield();
  assert(pthread_cancel(t) == 0);
  end_of(t);
}

extern "C" void* c_thread_with_cleanup(void*);
CASE(cancel_c_cleanup) {
  pthread_t t = start(c_thread_with_cleanup);
  assert(pthread_cancel(t) == 0);
  end_of(t);
}

extern "C" void* c_thread_that_exits(void*);
CASE(exit_c_cleanup) {
  pthread_t t = start(c_thread_that_exits);
  void* result = nullptr;
  pthread_join(t, &result);
  SHOW(reinterpret_cast<long>(result));
}
