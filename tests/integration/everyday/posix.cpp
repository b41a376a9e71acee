// Programs against POSIX: event loops, pipes, sockets, C threads, barriers, robust locks.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "everyday.hpp"

EVERYDAY(event_loop_with_eventfd) {
  const int wake = eventfd(0, EFD_CLOEXEC);
  std::atomic<int> work{0};
  std::thread loop([&] {
    for (int handled = 0; handled < 2;) {
      pollfd p{wake, POLLIN, 0};
      assert(poll(&p, 1, -1) == 1);
      uint64_t n;
      assert(read(wake, &n, sizeof n) == sizeof n);
      handled += static_cast<int>(n);
    }
    work = 1;
  });
  for (int i = 0; i < 2; ++i) {
    const uint64_t one = 1;
    assert(write(wake, &one, sizeof one) == sizeof one);
  }
  loop.join();
  assert(work == 1);
  close(wake);
}

EVERYDAY(event_loop_with_epoll) {
  const int epoll = epoll_create1(0);
  int ends[2];
  assert(pipe(ends) == 0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = ends[0];
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  std::thread writer([&] {
    assert(write(ends[1], "ab", 2) == 2);
    close(ends[1]);
  });
  std::string got;
  for (bool open = true; open;) {
    epoll_event events[4];
    const int n = epoll_wait(epoll, events, 4, 1000);
    for (int i = 0; i < n; ++i) {
      char c;
      if (read(events[i].data.fd, &c, 1) == 1)
        got += c;
      else
        open = false;
    }
  }
  writer.join();
  assert(got == "ab");
}

EVERYDAY(pipe_between_threads) {
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread writer([&] {
    FILE* out = fdopen(ends[1], "w");
    for (int i = 0; i < 3; ++i) fprintf(out, "line %d\n", i);
    fclose(out);
  });
  FILE* in = fdopen(ends[0], "r");
  char line[32];
  int lines = 0;
  while (fgets(line, sizeof line, in)) ++lines;
  fclose(in);
  writer.join();
  assert(lines == 3);
}

EVERYDAY(echo_over_loopback) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t length = sizeof address;
  assert(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  assert(listen(listener, 1) == 0);
  std::thread server([&] {
    const int client = accept(listener, nullptr, nullptr);
    char text[16];
    const ssize_t n = recv(client, text, sizeof text, 0);
    assert(send(client, text, static_cast<size_t>(n), 0) == n);
    close(client);
  });
  const int mine = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(mine, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  assert(send(mine, "hello", 5, 0) == 5);
  char text[16] = {};
  assert(recv(mine, text, sizeof text, MSG_WAITALL) == 5 && strcmp(text, "hello") == 0);
  server.join();
  close(mine);
  close(listener);
}

EVERYDAY(message_over_a_socket_pair) {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  std::thread other([&] {
    char text[8];
    assert(read(ends[1], text, sizeof text) == 4);
    assert(write(ends[1], "pong", 4) == 4);
  });
  assert(write(ends[0], "ping", 4) == 4);
  char text[8];
  assert(read(ends[0], text, sizeof text) == 4 && memcmp(text, "pong", 4) == 0);
  other.join();
}

EVERYDAY(select_with_timeout) {
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread writer([&] { assert(write(ends[1], "x", 1) == 1); });
  for (bool got = false; !got;) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    timeval limit{0, 1000};
    got = select(ends[0] + 1, &set, nullptr, nullptr, &limit) == 1;
  }
  writer.join();
}

EVERYDAY(c_threads) {
  static mtx_t mutex;
  static cnd_t changed;
  static int value;
  value = 0;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  thrd_t thread;
  thrd_create(
      &thread,
      [](void*) {
        mtx_lock(&mutex);
        value = 1;
        cnd_signal(&changed);
        mtx_unlock(&mutex);
        return 7;
      },
      nullptr);
  mtx_lock(&mutex);
  while (value == 0) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  int result;
  thrd_join(thread, &result);
  assert(result == 7);
}

EVERYDAY(posix_barrier) {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::atomic<int> serial{0};
  auto body = [&] {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
  };
  std::thread other(body);
  body();
  other.join();
  assert(serial == 1);
  pthread_barrier_destroy(&barrier);
}

EVERYDAY(robust_mutex) {
  static pthread_mutex_t mutex;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  std::thread([] { pthread_mutex_lock(&mutex); }).join();
  assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0);
}

EVERYDAY(timed_semaphore) {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread poster([] { sem_post(&semaphore); });
  for (;;) {
    timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 1'000'000;
    if (limit.tv_nsec >= 1'000'000'000) ++limit.tv_sec, limit.tv_nsec -= 1'000'000'000;
    if (sem_timedwait(&semaphore, &limit) == 0) break;
    assert(errno == ETIMEDOUT);
  }
  poster.join();
}

EVERYDAY(named_semaphore) {
  sem_t* semaphore = sem_open("/lockstep-everyday", O_CREAT | O_EXCL, 0600, 0);
  assert(semaphore != SEM_FAILED);
  std::thread poster([&] { sem_post(semaphore); });
  sem_wait(semaphore);
  poster.join();
  sem_close(semaphore);
  assert(sem_unlink("/lockstep-everyday") == 0);
}

EVERYDAY(keys_with_destructors) {
  static std::atomic<int> destroyed{0};
  destroyed = 0;
  pthread_key_t key;
  pthread_key_create(&key, [](void* p) {
    delete static_cast<int*>(p);
    ++destroyed;
  });
  std::thread([&] { pthread_setspecific(key, new int(1)); }).join();
  assert(destroyed == 1);
  pthread_key_delete(key);
}

EVERYDAY(large_stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 4 << 20);
  pthread_t thread;
  pthread_create(
      &thread, &attributes,
      [](void*) -> void* {
        volatile char big[3 << 20];
        big[0] = 1;
        big[sizeof big - 1] = 1;
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
}

EVERYDAY(jump_within_a_thread) {
  auto body = [] {
    jmp_buf back;
    volatile int tries = 0;
    if (setjmp(back) < 3) {
      tries = tries + 1;
      longjmp(back, tries);
    }
    assert(tries == 3);
  };
  std::thread other(body);
  body();
  other.join();
}

EVERYDAY(asking_the_system) {
  static struct stat info;
  static struct utsname name;
  static struct sysinfo system;
  static struct rusage usage;
  static rlimit limit;
  static char path[4096], host[256];
  auto body = [] {
    assert(stat("/", &info) == 0 && fstatat(AT_FDCWD, "/", &info, 0) == 0);
    assert(uname(&name) == 0 && sysinfo(&system) == 0);
    assert(getrusage(RUSAGE_SELF, &usage) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    assert(getcwd(path, sizeof path) != nullptr && gethostname(host, sizeof host) == 0);
  };
  std::thread other(body);
  other.join();
  body();
}

EVERYDAY(mapped_memory) {
  auto* shared =
      static_cast<std::atomic<int>*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  assert(shared != MAP_FAILED);
  std::thread other([&] { ++shared[0]; });
  ++shared[0];
  other.join();
  assert(shared[0] == 2);
  munmap(shared, 8192);
}

EVERYDAY(handler_for_a_signal) {
  static volatile sig_atomic_t seen;
  seen = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { seen = 1; };
  sigaction(SIGUSR1, &action, nullptr);
  std::thread other([] { raise(SIGUSR1); });
  other.join();
  assert(seen == 1);
}

EVERYDAY(signal_waiting_thread) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread waiter([&] {
    int signal = 0;
    assert(sigwait(&set, &signal) == 0 && signal == SIGTERM);
  });
  kill(getpid(), SIGTERM);
  waiter.join();
}

EVERYDAY(cancelled_thread) {
  pthread_t thread;
  static std::atomic<bool> cleaned;
  cleaned = false;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        struct Cleaner {
          ~Cleaner() { cleaned = true; }
        } cleaner;
        for (;;) pause();
      },
      nullptr);
  pthread_cancel(thread);
  void* result;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && cleaned);
}
