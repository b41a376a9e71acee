// Timers, and signals that end waits.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "conformance.hpp"

static std::atomic<int> fired, got;
static sem_t done;
// Waits for a handler to have run. Looking first and then pausing would miss a signal in between.
static void wait_for(int signal) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  while (!got.load()) sigsuspend(&before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
static itimerspec after(long milliseconds, long every = 0) {
  return {{every / 1000, every % 1000 * 1'000'000}, {milliseconds / 1000, milliseconds % 1000 * 1'000'000}};
}

CASE(timer_calls_a_function) {
  sem_init(&done, 0, 0);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_int = 42;
  event.sigev_notify_function = [](sigval v) {
    fired.store(v.sival_int);
    sem_post(&done);
  };
  timer_t timer;
  ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer));
  itimerspec soon = after(20);
  ERRNO(timer_settime(timer, 0, &soon, nullptr));
  sem_wait(&done);
  SHOW(fired.load());
  ERRNO(timer_delete(timer));
}

CASE(timer_repeats) {
  sem_init(&done, 0, 0);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) { sem_post(&done); };
  timer_t timer;
  timer_create(CLOCK_REALTIME, &event, &timer);
  itimerspec often = after(5, 5);
  timer_settime(timer, 0, &often, nullptr);
  for (int i = 0; i < 3; ++i) sem_wait(&done);
  ERRNO(timer_delete(timer));
}

CASE(timer_sends_a_signal) {
  signal(SIGUSR1, [](int) { ++got; });
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  itimerspec soon = after(10);
  timer_settime(timer, 0, &soon, nullptr);
  wait_for(SIGUSR1);
  SHOW(got.load());
}

CASE(timer_contracts) {
  sigevent event{};
  event.sigev_notify = SIGEV_NONE;
  timer_t timer;
  ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer));
  itimerspec value = after(3'600'000, 1000), old;
  ERRNO(timer_settime(timer, 0, &value, &old));
  SHOW(old.it_value.tv_sec == 0 && old.it_interval.tv_sec == 0);
  ERRNO(timer_gettime(timer, &old));
  SHOW(old.it_interval.tv_sec == 1 && old.it_value.tv_sec > 3000 && old.it_value.tv_sec <= 3600);
  SHOW(timer_getoverrun(timer));
  value = {};
  ERRNO(timer_settime(timer, 0, &value, &old));
  SHOW(old.it_value.tv_sec > 3000);
  value.it_value.tv_nsec = 2'000'000'000;
  ERRNO(timer_settime(timer, 0, &value, nullptr));
  ERRNO(timer_delete(timer));
}

CASE(timer_descriptor) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec value = after(10), old;
  ERRNO(timerfd_settime(fd, 0, &value, nullptr));
  pollfd p{fd, POLLIN, 0};
  SHOW(poll(&p, 1, -1));
  uint64_t times = 0;
  SHOW(read(fd, &times, sizeof times));
  SHOW(times == 1);
  ERRNO(timerfd_gettime(fd, &old));
  SHOW(old.it_value.tv_sec == 0 && old.it_value.tv_nsec == 0);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  ERRNO(read(fd, &times, sizeof times));
  value = after(3'600'000);
  ERRNO(timerfd_settime(fd, 0, &value, nullptr));
  ERRNO(timerfd_gettime(fd, &old));
  SHOW(old.it_value.tv_sec > 3000);
  close(fd);
}

CASE(timer_alarm) {
  signal(SIGALRM, [](int) { ++got; });
  SHOW(alarm(1000));
  SHOW(alarm(1) > 900);
  wait_for(SIGALRM);
  SHOW(alarm(0));
}

CASE(timer_interval) {
  signal(SIGALRM, [](int) { ++got; });
  itimerval value{{0, 0}, {3600, 0}}, now;
  ERRNO(setitimer(ITIMER_REAL, &value, nullptr));
  ERRNO(getitimer(ITIMER_REAL, &now));
  SHOW(now.it_value.tv_sec > 3000);
  value = {{0, 0}, {0, 5000}};
  ERRNO(setitimer(ITIMER_REAL, &value, nullptr));
  wait_for(SIGALRM);
  SHOW(got.load());
}

static std::atomic<int> in_wait;
static void end_wait(void (*wait)(), int flags) {
  struct sigaction action {};
  action.sa_handler = [](int) { ++got; };
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, nullptr);
  got = 0;
  std::thread waiter(wait);
  // Natively the signal may come before the wait: then another one ends it.
  while (!in_wait.load()) {
    pthread_kill(waiter.native_handle(), SIGUSR1);
    usleep(2000);
  }
  waiter.join();
  SHOW(got.load() > 0);
  in_wait = 0;
}

CASE(signal_ends_waits) {
  end_wait(
      [] {
        ERRNO(pause());
        in_wait = 1;
      },
      SA_RESTART);
  sem_init(&done, 0, 0);
  end_wait(
      [] {
        ERRNO(sem_wait(&done));
        in_wait = 1;
      },
      0);
  static int ends[2];
  assert(pipe(ends) == 0);
  end_wait(
      [] {
        char c;
        ERRNO(read(ends[0], &c, 1));
        in_wait = 1;
      },
      0);
  end_wait(
      [] {
        pollfd p{ends[0], POLLIN, 0};
        ERRNO(poll(&p, 1, -1));
        in_wait = 1;
      },
      SA_RESTART);
}

CASE(signal_leaves_waits) {  // the handler runs, the wait goes on
  static std::mutex mutex;
  static std::atomic<int> handled;
  handled = 0;
  signal(SIGUSR1, [](int) { ++handled; });
  mutex.lock();
  std::thread waiter([] {
    std::lock_guard lock(mutex);
    SHOW(handled.load() > 0);
  });
  pthread_kill(waiter.native_handle(), SIGUSR1);
  while (!handled.load()) usleep(1000);
  mutex.unlock();
  waiter.join();
}

CASE(signal_suspend) {
  signal(SIGUSR1, [](int) { ++got; });
  sigset_t set, none;
  sigemptyset(&set);
  sigemptyset(&none);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  raise(SIGUSR1);
  SHOW(got.load());
  ERRNO(sigsuspend(&none));
  SHOW(got.load());
}

CASE(signal_to_process_that_blocks_it) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ERRNO(kill(getpid(), SIGTERM));
  std::thread waiter([set] {
    int signal = 0;
    ERROR(sigwait(&set, &signal));
    SHOW(signal == SIGTERM);
  });
  waiter.join();
}

CASE(refuse_signalfd) {
  sigset_t set;
  sigemptyset(&set);
  SHOW(signalfd(-1, &set, 0));
}

CASE(repeat_folder) {
  char here[PATH_MAX];
  assert(getcwd(here, sizeof here));
  std::puts(here);
  assert(chdir("/") == 0);
}
CASE(repeat_folder_by_descriptor) {
  char here[PATH_MAX];
  assert(getcwd(here, sizeof here));
  std::puts(here);
  const int fd = open("/", O_RDONLY);
  assert(fchdir(fd) == 0);
}
