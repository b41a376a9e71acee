// C11 threads. libc's versions call their pthread counterparts by internal names, so each one is intercepted. Their
// types are the pthread types under other names.
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace {

int translate(int error) {
  switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    case ENOMEM:
    case EAGAIN: return thrd_nomem;
    default: return thrd_error;
  }
}

pthread_mutex_t* mutex(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
pthread_cond_t* condition(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }

}  // namespace

LOCKSTEP_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  if (!controlled()) return LOCKSTEP_REAL(thrd_create)(thread, function, argument);
  // An int result in a register that is read as a pointer: thrd_join cuts off the upper half.
  return translate(
      pthread_create(thread, nullptr, reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(function)), argument));
}
LOCKSTEP_EXPORT int thrd_join(thrd_t thread, int* result) {
  if (!controlled()) return LOCKSTEP_REAL(thrd_join)(thread, result);
  void* value = nullptr;
  const int error = pthread_join(thread, &value);
  if (!error && result) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return translate(error);
}
LOCKSTEP_EXPORT int thrd_detach(thrd_t thread) {
  return controlled() ? translate(pthread_detach(thread)) : LOCKSTEP_REAL(thrd_detach)(thread);
}
LOCKSTEP_EXPORT void thrd_exit(int result) {
  if (!controlled()) LOCKSTEP_REAL(thrd_exit)(result);
  pthread_exit(reinterpret_cast<void*>(static_cast<intptr_t>(result)));
}
LOCKSTEP_EXPORT void thrd_yield() { sched_yield(); }
LOCKSTEP_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  if (!controlled()) return LOCKSTEP_REAL(thrd_sleep)(duration, left);
  return clock_nanosleep(CLOCK_REALTIME, 0, duration, left) == 0 ? 0 : -2;
}

LOCKSTEP_EXPORT int mtx_lock(mtx_t* m) {
  return controlled() ? translate(pthread_mutex_lock(mutex(m))) : LOCKSTEP_REAL(mtx_lock)(m);
}
LOCKSTEP_EXPORT int mtx_trylock(mtx_t* m) {
  return controlled() ? translate(pthread_mutex_trylock(mutex(m))) : LOCKSTEP_REAL(mtx_trylock)(m);
}
LOCKSTEP_EXPORT int mtx_timedlock(mtx_t* m, const timespec* deadline) {
  return controlled() ? translate(pthread_mutex_timedlock(mutex(m), deadline))
                      : LOCKSTEP_REAL(mtx_timedlock)(m, deadline);
}
LOCKSTEP_EXPORT int mtx_unlock(mtx_t* m) {
  return controlled() ? translate(pthread_mutex_unlock(mutex(m))) : LOCKSTEP_REAL(mtx_unlock)(m);
}
LOCKSTEP_EXPORT void mtx_destroy(mtx_t* m) {
  if (controlled())
    pthread_mutex_destroy(mutex(m));
  else
    LOCKSTEP_REAL(mtx_destroy)(m);
}

LOCKSTEP_EXPORT int cnd_wait(cnd_t* c, mtx_t* m) {
  return controlled() ? translate(pthread_cond_wait(condition(c), mutex(m))) : LOCKSTEP_REAL(cnd_wait)(c, m);
}
LOCKSTEP_EXPORT int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* deadline) {
  return controlled() ? translate(pthread_cond_timedwait(condition(c), mutex(m), deadline))
                      : LOCKSTEP_REAL(cnd_timedwait)(c, m, deadline);
}
LOCKSTEP_EXPORT int cnd_signal(cnd_t* c) {
  return controlled() ? translate(pthread_cond_signal(condition(c))) : LOCKSTEP_REAL(cnd_signal)(c);
}
LOCKSTEP_EXPORT int cnd_broadcast(cnd_t* c) {
  return controlled() ? translate(pthread_cond_broadcast(condition(c))) : LOCKSTEP_REAL(cnd_broadcast)(c);
}
LOCKSTEP_EXPORT void cnd_destroy(cnd_t* c) {
  if (controlled())
    pthread_cond_destroy(condition(c));
  else
    LOCKSTEP_REAL(cnd_destroy)(c);
}

LOCKSTEP_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return translate(pthread_key_create(key, destructor));
}
LOCKSTEP_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
LOCKSTEP_EXPORT void* tss_get(tss_t key) { return pthread_getspecific(key); }
LOCKSTEP_EXPORT int tss_set(tss_t key, void* value) { return translate(pthread_setspecific(key, value)); }
LOCKSTEP_EXPORT void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}
