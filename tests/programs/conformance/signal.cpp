#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "conformance.hpp"

static std::atomic<int> got, go;
static void on_signal(int n) { got.store(n); }

CASE(signal_none) {
  pthread_t t = start([](void*) -> void* {
    while (!go.load()) sched_yield();
    return nullptr;
  });
  ERROR(pthread_kill(t, 0));
  ERROR(pthread_kill(t, 1000));
  go.store(1);
  pthread_join(t, nullptr);
}

CASE(signal_to_thread) {
  signal(SIGUSR1, on_signal);
  static std::atomic<long> where;
  struct sigaction action {};
  action.sa_sigaction = [](int n, siginfo_t*, void*) {
    got.store(n);
    where.store(static_cast<long>(pthread_self()));
  };
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &action, nullptr);
  pthread_t t = start([](void*) -> void* {
    while (!got.load()) sched_yield();
    return nullptr;
  });
  ERROR(pthread_kill(t, SIGUSR2));
  pthread_join(t, nullptr);
  SHOW(got.load() == SIGUSR2 && where.load() == static_cast<long>(t));
  got = 0;
  t = start([](void*) -> void* {
    while (!got.load()) sched_yield();
    return nullptr;
  });
  sigval v{};
  ERROR(pthread_sigqueue(t, SIGUSR1, v));
  pthread_join(t, nullptr);
  SHOW(got.load() == SIGUSR1);
}

CASE(signal_to_self) {
  signal(SIGUSR1, on_signal);
  ERRNO(raise(SIGUSR1));
  SHOW(got.load() == SIGUSR1);
  signal(SIGUSR2, SIG_IGN);
  ERRNO(kill(getpid(), SIGUSR2));
  ERRNO(kill(getpid(), 0));
  ERRNO(tgkill(getpid(), gettid(), SIGUSR1));
}

CASE(signal_mask) {
  signal(SIGUSR1, on_signal);
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  ERROR(pthread_sigmask(SIG_BLOCK, &set, &old));
  SHOW(sigismember(&old, SIGUSR1));
  raise(SIGUSR1);
  SHOW(got.load());
  sigset_t pending;
  ERRNO(sigpending(&pending));
  SHOW(sigismember(&pending, SIGUSR1));
  ERRNO(sigprocmask(SIG_UNBLOCK, &set, nullptr));
  SHOW(got.load() == SIGUSR1);
  ERROR(pthread_sigmask(77, &set, nullptr));
}

CASE(signal_wait) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  pthread_t t = start([](void*) -> void* {
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    int n = 0;
    ERROR(sigwait(&mine, &n));
    SHOW(n == SIGUSR1);
    return nullptr;
  });
  assert(pthread_kill(t, SIGUSR1) == 0);
  pthread_join(t, nullptr);
  pthread_kill(pthread_self(), SIGUSR1);
  siginfo_t info;
  SHOW(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
  timespec soon{0, 1000};
  ERRNO(sigtimedwait(&set, &info, &soon));
}

CASE(signal_dispositions) {
  struct sigaction old {};
  ERRNO(sigaction(SIGSEGV, nullptr, &old));
  SHOW(old.sa_handler == SIG_DFL);
  SHOW(signal(SIGSEGV, on_signal) == SIG_DFL);
  SHOW(signal(SIGUSR1, on_signal) == SIG_DFL);
  ERRNO(sigaction(SIGSEGV, nullptr, &old));
  SHOW(old.sa_handler == on_signal);
  ERRNO(sigaction(1000, nullptr, &old));
  ERRNO(sigaction(SIGKILL, &old, nullptr));
}

#include <setjmp.h>
static sigjmp_buf back;
CASE(signal_own_crash_handler) {
  char stack[64 << 10];
  stack_t s{};
  ERRNO(sigaltstack(nullptr, &s));
  SHOW(s.ss_flags == SS_DISABLE);
  s = {};
  s.ss_sp = stack;
  s.ss_size = sizeof stack;
  ERRNO(sigaltstack(&s, nullptr));
  signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  together([] {
    if (sigsetjmp(back, 1) == 0) {
      *reinterpret_cast<volatile int*>(8) = 1;
      std::puts("not here");
    } else {
      std::puts("recovered");
    }
  });
}

CASE(repeat_stop) {
  together([] { SHOW(raise(SIGSTOP)); });
}

// A handler repairs what is wrong, on the stack that the thread gave for it.
static char* broken_page;
static char handler_stack[64 << 10];
static bool was_on_it;
CASE(signal_handler_on_own_stack) {
  broken_page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action {};
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    char here;
    was_on_it = &here >= handler_stack && &here < handler_stack + sizeof handler_stack;
    assert(info->si_addr == broken_page);
    mprotect(broken_page, 4096, PROT_READ | PROT_WRITE);
  };
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  SHOW(sigaction(SIGSEGV, &action, nullptr));
  together([] {
    stack_t mine{};
    mine.ss_sp = handler_stack;
    mine.ss_size = sizeof handler_stack;
    SHOW(sigaltstack(&mine, nullptr));
    double kept = 1.5;
    asm volatile("" : "+x"(kept));  // in a register, which has to survive
    *broken_page = 7;
    asm volatile("" : "+x"(kept));
    SHOW(kept == 1.5);
    mine.ss_flags = SS_DISABLE;
    SHOW(sigaltstack(&mine, nullptr));
  });
  SHOW(*broken_page);
  SHOW(was_on_it);
}
