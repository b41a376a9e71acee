// `programs HOW WAIT END`: one thread waits (sem, timed-sem, cond, timed-cond, pipe); nobody ends the wait, or another
// thread does (post), or the one that interrupts it (before); that one cancels it or sends it a signal (cancel, kill).
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static pthread_t waiter, poster, interrupter;
static char** arguments;

static bool is(int argument, const char* word) { return std::strcmp(arguments[argument], word) == 0; }

static void unlock(void*) { pthread_mutex_unlock(&mutex); }

static void* wait(void*) {
  timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  ++soon.tv_sec;
  if (is(2, "sem")) sem_wait(&semaphore);
  if (is(2, "timed-sem")) sem_timedwait(&semaphore, &soon);
  char byte;
  if (is(2, "pipe") && read(ends[0], &byte, 1) < 0) return nullptr;
  if (!is(2, "cond") && !is(2, "timed-cond")) return nullptr;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, nullptr);
  if (is(2, "cond"))
    pthread_cond_wait(&condition, &mutex);
  else
    pthread_cond_timedwait(&condition, &mutex, &soon);
  pthread_cleanup_pop(1);
  return nullptr;
}

static void end_the_wait() {
  if (is(2, "sem") || is(2, "timed-sem")) sem_post(&semaphore);
  if (is(2, "cond") || is(2, "timed-cond")) pthread_cond_signal(&condition);
  if (is(2, "pipe") && write(ends[1], "x", 1) != 1) _exit(1);
}

static void* post(void*) {
  end_the_wait();
  return nullptr;
}

static void* interrupt(void*) {
  if (is(3, "before")) end_the_wait();
  if (is(1, "cancel"))
    pthread_cancel(waiter);
  else
    pthread_kill(waiter, SIGUSR1);
  return nullptr;
}

int main(int, char** argv) {
  arguments = argv;
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  sem_init(&semaphore, 0, 0);
  if (is(2, "pipe") && pipe(ends) != 0) return 1;
  pthread_create(&waiter, nullptr, wait, nullptr);
  if (is(3, "post")) pthread_create(&poster, nullptr, post, nullptr);
  pthread_create(&interrupter, nullptr, interrupt, nullptr);
  pthread_join(interrupter, nullptr);
  if (is(3, "post")) pthread_join(poster, nullptr);
  pthread_join(waiter, nullptr);
}
