// Cleanup handlers of C code without -fexceptions: libc's jump buffers instead of destructors.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

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
