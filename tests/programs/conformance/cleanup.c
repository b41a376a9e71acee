// Cleanup handlers of C code without -fexceptions: libc's jump buffers instead of destructors.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int c_step;

void* c_thread_asynchronous(void* unused) {
  int old = -1;
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  printf("%d\n", old == PTHREAD_CANCEL_DEFERRED);
  __atomic_store_n(&c_step, 1, __ATOMIC_SEQ_CST);
  for (;;) sched_yield();
  return 0;
}

static void say(void* text) { puts(text); }

void* c_thread_with_cleanup(void* unused) {
  (void)unused;
  pthread_cleanup_push(say, "outer");
  pthread_cleanup_push(say, "inner");
  for (;;) usleep(1000);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return 0;
}

void* c_thread_that_exits(void* unused) {
  (void)unused;
  pthread_cleanup_push(say, "outer");
  pthread_cleanup_push(say, "not run");
  pthread_cleanup_pop(0);
  pthread_cleanup_push(say, "popped and run");
  pthread_cleanup_pop(1);
  pthread_exit((void*)6);
  pthread_cleanup_pop(0);
  return 0;
}
