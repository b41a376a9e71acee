// Correct programs that order their accesses through the kernel, signals, cancellation, C11 threads or timed waits:
// nothing may be reported in any of them.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <unistd.h>

#include <iostream>

#include "races.hpp"

namespace {

int x, y;
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

// --- messages through the kernel ---

void through_pipe() {
  int fd[2];
  if (pipe(fd) != 0) std::abort();
  together(
      [&] {
        x = 1;
        if (write(fd[1], "a", 1) != 1) std::abort();
      },
      [&] {
        char c;
        if (read(fd[0], &c, 1) == 1) sink(x);
      });
  close(fd[0]);
  close(fd[1]);
}

void pipe_both_ways() {
  int to[2], back[2];
  if (pipe(to) != 0 || pipe(back) != 0) std::abort();
  together(
      [&] {
        int* p = new int(5);
        if (write(to[1], &p, sizeof p) != sizeof p) std::abort();
        char c;
        if (read(back[0], &c, 1) != 1) std::abort();
        sink(*p);
        delete p;
      },
      [&] {
        int* p;
        if (read(to[0], &p, sizeof p) != sizeof p) std::abort();
        *p = 6;
        if (write(back[1], "b", 1) != 1) std::abort();
      });
}

void end_of_pipe() {
  int fd[2];
  if (pipe(fd) != 0) std::abort();
  together(
      [&] {
        x = 1;
        close(fd[1]);
      },
      [&] {
        char c;
        if (read(fd[0], &c, 1) == 0) sink(x);
      });
  close(fd[0]);
}

void through_socket() {
  int fd[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0) std::abort();
  together(
      [&] {
        x = 1;
        send(fd[0], "a", 1, 0);
      },
      [&] {
        char c;
        if (recv(fd[1], &c, 1, 0) == 1) sink(x);
      });
}

void through_eventfd() {
  const int fd = eventfd(0, 0);
  together(
      [&] {
        x = 1;
        eventfd_write(fd, 1);
      },
      [&] {
        eventfd_t value;
        eventfd_read(fd, &value);
        sink(x);
      });
}

void through_poll() {
  const int fd = eventfd(0, 0);
  together(
      [&] {
        x = 1;
        eventfd_write(fd, 1);
      },
      [&] {
        pollfd p{fd, POLLIN, 0};
        if (poll(&p, 1, -1) == 1) sink(x);
      });
}

void through_epoll() {
  const int fd = eventfd(0, EFD_NONBLOCK), loop = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
  together(
      [&] {
        x = 1;
        eventfd_write(fd, 1);
      },
      [&] {
        epoll_event out;
        if (epoll_wait(loop, &out, 1, -1) == 1) sink(x);
      });
}

// --- signals, cancellation, the end of threads and of the process ---

std::atomic<bool> handled;
void on_signal(int) {
  sink(x);
  handled = true;
}

void signal_handler() {
  handled = false;
  signal(SIGUSR1, on_signal);
  static std::atomic<bool> sent;
  sent = false;
  std::thread t([] {
    while (!sent) std::this_thread::yield();
    while (!handled) std::this_thread::yield();
  });
  x = 1;
  pthread_kill(t.native_handle(), SIGUSR1);
  sent = true;
  t.join();
}

void signal_waited_for() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread t([&] {
    int number;
    sigwait(&set, &number);
    sink(x);
  });
  x = 1;
  pthread_kill(t.native_handle(), SIGUSR2);
  t.join();
}

void cancelled() {
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        pthread_cleanup_push([](void*) { sink(x); }, nullptr);
        for (;;) {
          pthread_testcancel();
          sched_yield();
        }
        pthread_cleanup_pop(0);
        return nullptr;
      },
      nullptr);
  x = 1;
  pthread_cancel(t);
  pthread_join(t, nullptr);
  x = 2;
}

void tried_to_join() {
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        x = 1;
        return nullptr;
      },
      nullptr);
  while (pthread_tryjoin_np(t, nullptr) != 0) sched_yield();
  sink(x);
}

void handler_of_another_thread() {
  static sem_t done;
  sem_init(&done, 0, 0);
  std::thread([] {
    x = 1;
    std::atexit([] { sink(x); });
    sem_post(&done);
  }).detach();
  sem_wait(&done);
}

void static_of_another_thread() {
  struct Log {
    std::string text = "begin";
    ~Log() { text += "end"; }
  };
  static sem_t done;
  sem_init(&done, 0, 0);
  std::thread([] {
    static Log log;
    log.text += " middle, long enough for the heap";
    sem_post(&done);
  }).detach();
  sem_wait(&done);
}

// --- C11 threads, keys, robust mutexes ---

void c11_threads() {
  static mtx_t lock;
  static cnd_t changed;
  static bool ready;
  ready = false;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_t t;
  thrd_create(
      &t,
      [](void*) -> int {
        mtx_lock(&lock);
        x = 1;
        ready = true;
        cnd_signal(&changed);
        mtx_unlock(&lock);
        return 0;
      },
      nullptr);
  mtx_lock(&lock);
  while (!ready) cnd_wait(&changed, &lock);
  sink(x);
  mtx_unlock(&lock);
  thrd_join(t, nullptr);
}

void c11_once() {
  static once_flag flag = ONCE_FLAG_INIT;
  auto use = [] {
    call_once(&flag, [] { x = 1; });
    sink(x);
  };
  together(use, use);
}

void keys() {
  static pthread_key_t key;
  pthread_key_create(&key, [](void* p) { delete static_cast<std::string*>(p); });
  auto use = [] {
    auto* text = new std::string("a text that does not fit into the object");
    pthread_setspecific(key, text);
    *static_cast<std::string*>(pthread_getspecific(key)) += "!";
  };
  together(use, use);
}

void robust_mutex() {
  static pthread_mutex_t lock;
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &how);
  together(
      [] {
        if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_consistent(&lock);
        x = 1;
      },
      [] {
        if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_consistent(&lock);
        x = 2;
        pthread_mutex_unlock(&lock);
      });
}

void timed_semaphore() {
  static sem_t s;
  sem_init(&s, 0, 0);
  together(
      [] {
        x = 1;
        sem_post(&s);
      },
      [] {
        timespec t{};
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_sec += 10;
        if (sem_timedwait(&s, &t) == 0) sink(x);
      });
}

void timed_locks() {
  static std::timed_mutex tm;
  static std::shared_timed_mutex st;
  together(
      [] {
        if (tm.try_lock_for(std::chrono::seconds(1))) {
          x++;
          tm.unlock();
        }
      },
      [] {
        std::lock_guard l(tm);
        x++;
      },
      [] {
        if (st.try_lock_shared_for(std::chrono::seconds(1))) {
          sink(y);
          st.unlock_shared();
        }
      },
      [] {
        std::lock_guard l(st);
        y++;
      });
}

void timed_condition() {
  static std::condition_variable c;
  static bool ready;
  ready = false;
  together(
      [] {
        std::lock_guard l(m);
        x = 1;
        ready = true;
        c.notify_all();
      },
      [] {
        std::unique_lock l(m);
        if (c.wait_for(l, std::chrono::seconds(1), [] { return ready; })) sink(x);
      });
}

const Case kCases[] = {
    {"through_pipe", false, through_pipe, 0, 0},
    {"pipe_both_ways", false, pipe_both_ways, 0, 0},
    {"end_of_pipe", false, end_of_pipe, 0, 0},
    {"through_socket", false, through_socket, 0, 0},
    {"through_eventfd", false, through_eventfd, 0, 0},
    {"through_poll", false, through_poll, 0, 0},
    {"through_epoll", false, through_epoll, 0, 0},
    {"signal_handler", false, signal_handler, 0, 0},
    {"signal_waited_for", false, signal_waited_for, 0, 0},
    {"cancelled", false, cancelled, 0, 0},
    {"tried_to_join", false, tried_to_join, 0, 0},
    {"handler_of_another_thread", false, handler_of_another_thread, 0, 0},
    {"static_of_another_thread", false, static_of_another_thread, 0, 0},
    {"c11_threads", false, c11_threads, 0, 0},
    {"c11_once", false, c11_once, 0, 0},
    {"keys", false, keys, 0, 0},
    {"robust_mutex", false, robust_mutex, 0, 0},
    {"timed_semaphore", false, timed_semaphore, 0, 0},
    {"timed_locks", false, timed_locks, 0, 0},
    {"timed_condition", false, timed_condition, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
