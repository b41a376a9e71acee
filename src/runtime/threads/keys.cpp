// pthread keys and thread-local destructors. Values belong to logical threads, because pool threads outlive these.
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/state_call.hpp"
#include "runtime/threads/threads.hpp"

namespace lockstep::rt {
namespace {

struct Key {
  bool used;
  void (*destructor)(void*);
};
struct KeyTable {
  Key key[PTHREAD_KEYS_MAX];
  unsigned high;  // largest key ever used + 1
};
constinit struct {
  KeyTable now;
  struct {
    KeyTable table;
    void* main_values[PTHREAD_KEYS_MAX];
    unsigned main_high;
    ThreadDestructor* main_destructors;
  } at_snapshot;
} keys{};

Thread& owner() { return controlled() ? self() : runtime.threads[0]; }

void** values(Thread& t) {
  if (!t.key_values) t.key_values = static_cast<void**>(map_pages(sizeof(void*) * PTHREAD_KEYS_MAX));
  return t.key_values;
}

// Keys of libraries are not state of the program.
void use_keys(const void* caller) {
  if (!from_library(caller)) StateCall(StateKind::Keys, Use::Change).done(0);
}

void remember(pthread_key_t k, void (*destructor)(void*)) {
  keys.now.key[k] = {true, destructor};
  if (k >= keys.now.high) keys.now.high = k + 1;
}

}  // namespace

void adopt_keys() {
  Thread& main = runtime.threads[0];
  for (unsigned k = 0; k < keys.now.high; ++k) {
    void* value = keys.now.key[k].used ? LOCKSTEP_REAL(pthread_getspecific)(k) : nullptr;
    if (!value) continue;
    values(main)[k] = value;
    main.key_high = k + 1;
  }
}

void run_key_destructors(Thread& me) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (unsigned k = 0; k < me.key_high; ++k) {
      void* value = me.key_values[k];
      if (!value) continue;
      me.key_values[k] = nullptr;
      if (!keys.now.key[k].used || !keys.now.key[k].destructor) continue;
      any = true;
      keys.now.key[k].destructor(value);
    }
    if (!any) return;
  }
}

void save_keys() {
  Thread& main = runtime.threads[0];
  keys.at_snapshot.table = keys.now;
  keys.at_snapshot.main_high = main.key_high;
  if (main.key_high) copy_bytes(keys.at_snapshot.main_values, main.key_values, sizeof(void*) * main.key_high);
  keys.at_snapshot.main_destructors = main.destructors;
}

void reset_keys() {
  for (unsigned k = 0; k < keys.now.high; ++k) keys.now.key[k] = keys.at_snapshot.table.key[k];
  keys.now.high = keys.at_snapshot.table.high;
  for (unsigned i = 0; i < runtime.pool_size; ++i) {
    Thread& t = runtime.threads[i];
    if (t.key_high) zero_bytes(t.key_values, sizeof(void*) * t.key_high);
    t.key_high = 0;
  }
  Thread& main = runtime.threads[0];
  main.key_high = keys.at_snapshot.main_high;
  if (main.key_high) copy_bytes(values(main), keys.at_snapshot.main_values, sizeof(void*) * main.key_high);
}

ThreadDestructor* main_destructors() { return keys.at_snapshot.main_destructors; }

const Module keys_module = {
    .name = "thread-specific keys",
    .at_snapshot = save_keys,
    .before_execution = reset_keys,
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (!keeps_registrations()) {
    const int result = LOCKSTEP_REAL(pthread_key_create)(key, destructor);
    if (result == 0 && !runtime.active) remember(*key, destructor);
    return result;
  }
  use_keys(__builtin_return_address(0));
  for (unsigned k = 0; k < PTHREAD_KEYS_MAX; ++k) {
    if (keys.now.key[k].used) continue;
    remember(k, destructor);
    for (unsigned i = 0; i < runtime.pool_size; ++i)
      if (runtime.threads[i].key_high > k) runtime.threads[i].key_values[k] = nullptr;
    *key = k;
    return 0;
  }
  return EAGAIN;
}

LOCKSTEP_EXPORT int pthread_key_delete(pthread_key_t key) noexcept {
  if (!keeps_registrations()) {
    if (!runtime.active && key < PTHREAD_KEYS_MAX) keys.now.key[key] = {};
    return LOCKSTEP_REAL(pthread_key_delete)(key);
  }
  use_keys(__builtin_return_address(0));
  if (key >= PTHREAD_KEYS_MAX || !keys.now.key[key].used) return EINVAL;
  keys.now.key[key] = {};
  return 0;
}

LOCKSTEP_EXPORT void* pthread_getspecific(pthread_key_t key) noexcept {
  if (!keeps_registrations()) return LOCKSTEP_REAL(pthread_getspecific)(key);
  const Thread& t = owner();
  return key < t.key_high ? t.key_values[key] : nullptr;
}

LOCKSTEP_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  if (!keeps_registrations()) return LOCKSTEP_REAL(pthread_setspecific)(key, value);
  if (key >= PTHREAD_KEYS_MAX || !keys.now.key[key].used) return EINVAL;
  Thread& t = owner();
  if (key >= t.key_high) {
    if (!value) return 0;
    values(t);
    t.key_high = key + 1;
  }
  t.key_values[key] = const_cast<void*>(value);
  return 0;
}

extern "C" int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);
LOCKSTEP_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso) {
  if (!keeps_registrations()) return LOCKSTEP_REAL(__cxa_thread_atexit_impl)(function, object, dso);
  Thread& t = owner();
  auto* d = static_cast<ThreadDestructor*>(heap.allocate(sizeof(ThreadDestructor), 16));
  *d = {function, object, t.destructors};
  t.destructors = d;
  return 0;
}
