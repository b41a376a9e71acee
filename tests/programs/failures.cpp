// One way to fail each, chosen by name. The failing thread is always a child, so that stacks and columns are shown.
#undef NDEBUG
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::mutex first;
std::atomic<int> x{0};

int overflow(volatile char* above) {
  volatile char here[4096];
  here[0] = above ? above[0] : 1;
  return here[0] ? overflow(here) + here[0] : 0;
}

// Not through the C library, so that nobody sees it. Inlined: a function of its own would be plain code.
__attribute__((always_inline)) inline void read_uncontrolled(int fd, char* byte) {
#if defined(__x86_64__)
  long result = 0;  // read(2)
  asm volatile("syscall" : "+a"(result) : "D"(fd), "S"(byte), "d"(1) : "rcx", "r11", "memory");
#else
#error "port: the system call"
#endif
}

void fail(const std::string& how) {
  if (how == "assertion") assert(x.load() == 1);
  if (how == "abort") std::abort();
  if (how == "raise") std::raise(SIGABRT);
  if (how == "exception") throw std::runtime_error("nobody catches this");
  if (how == "exception_int") throw 42;
  if (how == "noexcept") [&]() noexcept { fail("exception_int"); }();
  if (how == "segv") *reinterpret_cast<volatile int*>(uintptr_t{8} + static_cast<uintptr_t>(x.load())) = 1;
  if (how == "division") {
    volatile int hundred = 100, zero = x.load();
    x.store(hundred / zero);
  }
  if (how == "overflow") overflow(nullptr);
  if (how == "exit_code") std::exit(3);
  if (how == "quick_exit") _exit(4);
  if (how == "self_deadlock") {
    first.lock();
    first.lock();
  }
  if (how == "deadlock") {
    std::lock_guard one(first);
    std::thread other([] { std::lock_guard two(first); });
    other.join();
  }
  if (how == "no_signal") {
    std::condition_variable c;
    std::unique_lock lock(first);
    c.wait(lock);
  }
  if (how == "unlock_unheld") first.unlock();
  if (how == "unlock_foreign") {
    first.lock();
    std::thread([] { first.unlock(); }).join();
  }
  if (how == "destroy_locked") {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m);
  }
  if (how == "double_free") {
    void* volatile p = std::malloc(10);
    std::free(p);
    void* again = p;
    std::free(again);
  }
  if (how == "endless_steps")
    for (;;) x.fetch_add(1);
  if (how == "endless_quiet")
    for (volatile int i = 0;;) i = i + 1;
  if (how == "blocked_outside") {
    int ends[2];
    char byte;
    if (pipe(ends) == 0) read_uncontrolled(ends[0], &byte);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  std::thread worker([how] {
    x.load();
    fail(how);
  });
  x.load();
  worker.join();
  return 0;
}
