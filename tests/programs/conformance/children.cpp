// Processes of one's own. A child that waits for one of its parent's threads shows that waiting for it does not stop
// them.
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.hpp"

template <class Fork, class Wait>
static void child_hears_from_another_thread(Fork make, Wait wait_for) {
  int fds[2];
  assert(pipe(fds) == 0);
  const pid_t child = make();
  if (child == 0) {
    char code = 0;
    _exit(read(fds[0], &code, 1) == 1 ? code : 99);
  }
  std::thread speaker([&] { assert(write(fds[1], "\7", 1) == 1); });
  wait_for(child);
  speaker.join();
  close(fds[0]);
  close(fds[1]);
}

static void wait_plainly(pid_t child) {
  int status = 0;
  SHOW(waitpid(child, &status, 0) == child && WIFEXITED(status));
  SHOW(WEXITSTATUS(status));
}

CASE(child_fork) { child_hears_from_another_thread(fork, wait_plainly); }
CASE(child__Fork) { child_hears_from_another_thread(_Fork, wait_plainly); }
CASE(child_vfork) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const pid_t child = vfork();
#pragma GCC diagnostic pop
  if (child == 0) _exit(7);
  std::thread other([] {});
  wait_plainly(child);
  other.join();
}
CASE(child_clone) {
  static char stack[64 << 10];
  static int ends[2];
  SHOW(pipe(ends));
  const int child =
      clone([](void*) { return write(ends[1], "x", 1) == 1 ? 7 : 8; }, stack + sizeof stack, SIGCHLD, nullptr);
  std::thread other([] {});
  char heard = 0;
  SHOW(read(ends[0], &heard, 1));
  SHOW(heard);
  wait_plainly(child);
  other.join();
}
CASE(child_wait) {
  child_hears_from_another_thread(fork, [](pid_t child) {
    int status = 0;
    SHOW(wait(&status) == child);
    SHOW(WEXITSTATUS(status));
  });
}
CASE(child_wait3) {
  child_hears_from_another_thread(fork, [](pid_t child) {
    int status = 0;
    rusage usage;
    SHOW(wait3(&status, 0, &usage) == child);
    SHOW(WEXITSTATUS(status));
  });
}
CASE(child_wait4) {
  child_hears_from_another_thread(fork, [](pid_t child) {
    int status = 0;
    rusage usage;
    SHOW(wait4(child, &status, 0, &usage) == child);
    SHOW(WEXITSTATUS(status));
  });
}
CASE(child_waitid) {
  child_hears_from_another_thread(fork, [](pid_t child) {
    siginfo_t info{};
    SHOW(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED));
    SHOW(info.si_pid == child && info.si_code == CLD_EXITED);
    SHOW(info.si_status);
  });
}
CASE(child_errors) {
  ERRNO(waitpid(-1, nullptr, 0));
  ERRNO(wait(nullptr));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  SHOW(waitpid(child, nullptr, 0) == child);
  ERRNO(waitpid(child, nullptr, 0));
}

// A child that is left behind does not outlive its execution.
#define LEFT_BEHIND(name, call)                                              \
  CASE(repeat_child_##name) {                                                \
    ERRNO(waitpid(-1, nullptr, WNOHANG));                                    \
    char sleeps[] = "sleep", long_enough[] = "60";                           \
    char* arguments[] = {sleeps, long_enough, nullptr};                      \
    pid_t child;                                                             \
    ERROR(call(&child, "/bin/sleep", nullptr, nullptr, arguments, environ)); \
  }
LEFT_BEHIND(posix_spawn, posix_spawn)
LEFT_BEHIND(posix_spawnp, posix_spawnp)

static int fork_handlers;
CASE(child_atfork) {
  const auto count = [] { ++fork_handlers; };
  ERROR(pthread_atfork(count, count, count));
  const pid_t child = fork();
  if (child == 0) _exit(fork_handlers);
  SHOW(fork_handlers);
  wait_plainly(child);
}

template <class T>
static T* shared() {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  return static_cast<T*>(memory);
}
CASE(child_awaits_shared_semaphore) {
  auto* ready = shared<sem_t>();
  SHOW(sem_init(ready, 1, 0));
  const pid_t child = fork();
  if (child == 0) _exit(sem_wait(ready) == 0 ? 7 : 8);
  std::thread other([=] { sem_post(ready); });
  wait_plainly(child);
  other.join();
}
// Made before main: what an execution writes there is gone in the next.
static int* const counter = shared<int>();
CASE(child_shared_mapping_is_restored) {
  SHOW(*counter);
  ++*counter;
  const pid_t child = fork();
  if (child == 0) _exit(++*counter == 2 ? 7 : 8);
  wait_plainly(child);
  SHOW(*counter);
}
