#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <set>

#include "conformance.hpp"

CASE(thread_create_join) {
  pthread_t t = start([](void* p) -> void* { return static_cast<char*>(p) + 1; }, reinterpret_cast<void*>(41));
  void* result = nullptr;
  ERROR(pthread_join(t, &result));
  SHOW(reinterpret_cast<long>(result));
  ERROR(pthread_join(pthread_self(), nullptr));
}

CASE(thread_detach) {
  static std::atomic<int> done{0};
  pthread_t t = start([](void*) -> void* {
    while (!done.load()) sched_yield();
    done.store(2);
    return nullptr;
  });
  ERROR(pthread_detach(t));
  ERROR(pthread_join(t, nullptr));
  done.store(1);
  while (done.load() != 2) sched_yield();
}

CASE(thread_create_detached) {
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
  static std::atomic<int> go{0};
  pthread_t t;
  ERROR(pthread_create(
      &t, &a,
      [](void*) -> void* {
        while (!go.load()) sched_yield();
        go.store(2);
        return nullptr;
      },
      nullptr));
  ERROR(pthread_join(t, nullptr));
  go.store(1);
  while (go.load() != 2) sched_yield();
}

CASE(thread_tryjoin) {
  static std::atomic<int> go;
  go = 0;
  pthread_t t = start([](void*) -> void* {
    while (!go.load()) sched_yield();
    return reinterpret_cast<void*>(7);
  });
  ERROR(pthread_tryjoin_np(t, nullptr));
  go.store(1);
  void* result = nullptr;
  int error;
  while ((error = pthread_tryjoin_np(t, &result)) == EBUSY) sched_yield();
  ERROR(error);
  SHOW(reinterpret_cast<long>(result));
}

CASE(thread_timedjoin) {
  static std::atomic<int> go;
  go = 0;
  auto body = [](void*) -> void* {
    while (!go.load()) sched_yield();
    return reinterpret_cast<void*>(8);
  };
  pthread_t a = start(body), b = start(body);
  timespec t = past();
  ERROR(pthread_timedjoin_np(a, nullptr, &t));
  ERROR(pthread_clockjoin_np(b, nullptr, CLOCK_MONOTONIC, &t));
  go.store(1);
  void* result = nullptr;
  t = in(CLOCK_REALTIME, 3600'000);
  ERROR(pthread_timedjoin_np(a, &result, &t));
  SHOW(reinterpret_cast<long>(result));
  t = in(CLOCK_MONOTONIC, 3600'000);
  ERROR(pthread_clockjoin_np(b, &result, CLOCK_MONOTONIC, &t));
  SHOW(reinterpret_cast<long>(result));
}

struct OnExit {
  ~OnExit() { std::puts("unwound"); }
};
CASE(thread_exit) {
  pthread_t t = start([](void*) -> void* {
    OnExit guard;
    sched_yield();
    pthread_exit(reinterpret_cast<void*>(5));
  });
  void* result = nullptr;
  ERROR(pthread_join(t, &result));
  SHOW(reinterpret_cast<long>(result));
}

CASE(thread_main_exits_first) {
  start([](void*) -> void* {
    sched_yield();
    std::puts("still here");
    return nullptr;
  });
  pthread_exit(nullptr);
}

CASE(thread_name) {
  char name[16] = {};
  ERROR(pthread_setname_np(pthread_self(), "chief"));
  ERROR(pthread_setname_np(pthread_self(), "a name that is too long"));
  together([] { pthread_setname_np(pthread_self(), "worker"); });
  ERROR(pthread_getname_np(pthread_self(), name, sizeof name));
  std::puts(name);
  ERROR(pthread_getname_np(pthread_self(), name, 3));
}

CASE(thread_ids) {
  std::atomic<int> first{0}, second{0};
  together([&] { first = gettid(); }, [&] { second = gettid(); });
  SHOW(first != second && first != gettid() && getpid() == gettid());
  SHOW(syscall(186 /* gettid */) == gettid());
  SHOW(sched_getcpu() >= 0);
}

CASE(thread_scheduling_parameters) {
  sched_param p{};
  ERROR(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p));
  ERRNO(sched_setscheduler(0, SCHED_OTHER, &p));
  cpu_set_t set;
  CPU_ZERO(&set);
  ERRNO(sched_getaffinity(0, sizeof set, &set));
  ERROR(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
  ERRNO(sched_setaffinity(0, sizeof set, &set));
  SHOW(std::thread::hardware_concurrency() > 0);
}

CASE(thread_attributes) {
  pthread_t t = start([](void*) -> void* {
    pthread_attr_t a;
    void* low = nullptr;
    size_t size = 0;
    assert(pthread_getattr_np(pthread_self(), &a) == 0);
    pthread_attr_getstack(&a, &low, &size);
    char here;
    SHOW(&here > static_cast<char*>(low) && &here < static_cast<char*>(low) + size);
    pthread_attr_destroy(&a);
    return nullptr;
  });
  pthread_join(t, nullptr);
}

CASE(thread_large_stack) {
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 64 << 20);
  pthread_t t;
  ERROR(pthread_create(
      &t, &a,
      [](void*) -> void* {
        volatile char big[32 << 20];
        for (size_t i = 0; i < sizeof big; i += 4096) big[i] = 1;
        return reinterpret_cast<void*>(static_cast<long>(big[4096]));
      },
      nullptr));
  void* result = nullptr;
  pthread_join(t, &result);
  SHOW(reinterpret_cast<long>(result));
}

CASE(thread_yield) {
  std::atomic<int> turn{0};
  together(
      [&] {
        while (turn.load() != 1) sched_yield();
        turn.store(2);
      },
      [&] {
        turn.store(1);
        while (turn.load() != 2) std::this_thread::yield();
      });
  SHOW(turn.load());
}

// What a thread asks for must not be left to the next execution.
CASE(repeat_scheduling_parameters) {
  cpu_set_t set, one;
  sched_param p{};
  int policy = -1;
  pthread_getschedparam(pthread_self(), &policy, &p);
  SHOW(policy);
  SHOW(sched_getscheduler(0));
  CPU_ZERO(&set);
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  SHOW(CPU_COUNT(&set));
  CPU_ZERO(&one);
  for (int i = 0, last = -1; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set) && last < 0) CPU_SET(last = i, &one);
  static pthread_t main_thread;
  main_thread = pthread_self();
  ERROR(pthread_setschedparam(main_thread, SCHED_BATCH, &p));
  ERRNO(sched_setscheduler(0, SCHED_BATCH, &p));
  ERROR(pthread_setaffinity_np(main_thread, sizeof one, &one));
  ERRNO(sched_setaffinity(0, sizeof one, &one));
  pthread_getschedparam(main_thread, &policy, &p);
  SHOW(policy);
  SHOW(sched_getscheduler(0));
  pthread_getaffinity_np(main_thread, sizeof set, &set);
  SHOW(CPU_COUNT(&set));
}
CASE(thread_affinity) {
  cpu_set_t all, one, seen;
  ERRNO(sched_getaffinity(0, sizeof all, &all));
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ERRNO(sched_setaffinity(0, sizeof one, &one));
  CPU_ZERO(&seen);
  ERRNO(sched_getaffinity(0, sizeof seen, &seen));
  SHOW(CPU_EQUAL(&seen, &one));
  SHOW(get_nprocs());
  SHOW(sysconf(_SC_NPROCESSORS_ONLN));
  SHOW(std::thread::hardware_concurrency());
  CPU_ZERO(&seen);
  ERROR(pthread_getaffinity_np(pthread_self(), sizeof seen, &seen));
  SHOW(CPU_EQUAL(&seen, &one));
  std::thread inherits([] { SHOW(sysconf(_SC_NPROCESSORS_ONLN)); });
  inherits.join();
  ERROR(pthread_setaffinity_np(pthread_self(), sizeof all, &all));
  SHOW(get_nprocs() == CPU_COUNT(&all));
  cpu_set_t none;
  CPU_ZERO(&none);
  ERRNO(sched_setaffinity(0, sizeof none, &none));
}
