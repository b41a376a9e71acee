// Memory, descriptors, the end of the process: what an execution leaves behind must not reach the next one.
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "conformance.hpp"

// Addresses are names: the same in every execution.
CASE(repeat_heap_addresses) {
  auto where = [](void* p) { return reinterpret_cast<long>(p); };
  void* p = malloc(10);
  SHOW(where(p));
  SHOW(where(p = realloc(p, 100)));
  free(p);
  SHOW(where(calloc(3, 5)));
  SHOW(where(aligned_alloc(64, 64)));
  SHOW(where(memalign(128, 5)));
  SHOW(where(valloc(5)));
  SHOW(where(pvalloc(5)));
  void* q = nullptr;
  ERROR(posix_memalign(&q, 256, 1));
  SHOW(where(q));
  SHOW(where(new int));
}

CASE(heap_contracts) {
  char* p = static_cast<char*>(calloc(100, 1));
  SHOW(p[0] + p[99]);
  SHOW(malloc_usable_size(p) >= 100);
  p = static_cast<char*>(realloc(p, 10000));
  SHOW(p[99]);
  free(p);
  volatile size_t huge = SIZE_MAX;
  SHOW(calloc(huge, 2) == nullptr && reallocarray(nullptr, huge, 2) == nullptr);
  void* q = nullptr;
  ERROR(posix_memalign(&q, 3, 1));
  SHOW(reinterpret_cast<long>(aligned_alloc(4096, 4096)) % 4096);
  SHOW(reinterpret_cast<long>(memalign(512, 1)) % 512);
}

// Every descriptor is left open: in the next execution it has the same number again.
#define LEFT_OPEN(name, call) \
  CASE(repeat_opened_##name) { SHOW(call); }
template <class F>
static int was_open(int fd, F open_it) {
  const int before = fcntl(fd, F_GETFD);
  open_it();
  return before;
}
static int two(int result, const int* fds) { return result < 0 ? -1 : fds[0] * 1000 + fds[1]; }
static int fds[2];
static char pattern[] = "/tmp/lockstep-conformance-XXXXXX";
static int temporary() {
  const int fd = mkstemp(pattern);
  unlink(pattern);
  return fd;
}
LEFT_OPEN(open, open("/dev/null", O_RDONLY))
LEFT_OPEN(open64, open64("/dev/null", O_RDONLY))
LEFT_OPEN(openat, openat(AT_FDCWD, "/dev/null", O_RDONLY))
LEFT_OPEN(openat64, openat64(AT_FDCWD, "/dev/null", O_RDONLY))
LEFT_OPEN(creat, creat("/dev/null", 0600))
LEFT_OPEN(fopen, fileno(fopen("/dev/null", "r")))
LEFT_OPEN(fopen64, fileno(fopen64("/dev/null", "r")))
LEFT_OPEN(tmpfile, fileno(tmpfile()))
LEFT_OPEN(mkstemp, temporary())
LEFT_OPEN(opendir, dirfd(opendir("/")))
LEFT_OPEN(dup, dup(2))
LEFT_OPEN(dup2, was_open(77, [] { dup2(2, 77); }))
LEFT_OPEN(dup3, was_open(79, [] { dup3(2, 79, O_CLOEXEC); }))
LEFT_OPEN(pipe, two(pipe(fds), fds))
LEFT_OPEN(pipe2, two(pipe2(fds, O_CLOEXEC), fds))
LEFT_OPEN(socket, socket(AF_UNIX, SOCK_STREAM, 0))
LEFT_OPEN(socketpair, two(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), fds))
LEFT_OPEN(eventfd, eventfd(0, 0))
LEFT_OPEN(epoll_create, epoll_create(1))
LEFT_OPEN(epoll_create1, epoll_create1(0))
LEFT_OPEN(memfd_create, memfd_create("x", 0))

// Standard descriptors that an execution closes or redirects are there again for the next.
CASE(repeat_closed_close) { ERRNO(close(0)); }
CASE(repeat_closed_fclose) { SHOW(fclose(stdin)); }
CASE(repeat_closed_freopen) {
  char byte = 1;
  SHOW(read(0, &byte, 1));
  SHOW(freopen("/dev/zero", "r", stdin) != nullptr);
}

CASE(repeat_mapped) {
  SHOW(reinterpret_cast<long>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
  SHOW(reinterpret_cast<long>(mmap64(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
  void* p = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ERRNO(munmap(p, 4096));
}

// The kernel writes into pages that have not been touched yet.
static char untouched[5][64 << 10];
CASE(io_into_fresh_memory) {
  const int fd = open("/proc/self/exe", O_RDONLY);
  SHOW(read(fd, untouched[0], sizeof untouched[0]));
  SHOW(pread(fd, untouched[1], sizeof untouched[1], 0));
  lseek(fd, 0, SEEK_SET);
  iovec parts[] = {{untouched[2], 100}, {untouched[2] + 40000, 20000}};
  SHOW(readv(fd, parts, 2));
  SHOW(memcmp(untouched[0], untouched[1], sizeof untouched[0]) == 0);
  int pair[2];
  socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
  char text[20000];
  memset(text, 7, sizeof text);
  SHOW(write(pair[0], text, sizeof text));
  SHOW(recv(pair[1], untouched[3], sizeof untouched[3], 0));
  SHOW(write(pair[0], text, sizeof text));
  SHOW(recvfrom(pair[1], untouched[4], sizeof untouched[4], 0, nullptr, nullptr));
  SHOW(untouched[4][19999]);
  SHOW(fread(untouched[4], 1, 50000, fdopen(fd, "r")) > 0);
}

CASE(io_locked_stream) {
  FILE* f = tmpfile();
  together(
      [f] {
        flockfile(f);
        fputs("a", f);
        sched_yield();
        fputs("b", f);
        funlockfile(f);
      },
      [f] { fputs("cd", f); });
  SHOW(ftell(f));
}

static void handler() { std::puts("exit handler"); }
CASE(exit_handlers) {
  atexit(handler);
  on_exit([](int code, void*) { std::printf("on_exit %d\n", code); }, nullptr);
  at_quick_exit([] { std::puts("quick"); });
  exit(0);
}
CASE(exit_quick) {
  at_quick_exit([] {
    std::puts("quick");
    std::fflush(nullptr);
  });
  atexit(handler);
  quick_exit(0);
}
CASE(exit_at_once) {
  atexit(handler);
  std::fflush(nullptr);
  _exit(0);
}
CASE(exit_standard) {
  atexit(handler);
  std::fflush(nullptr);
  _Exit(0);
}
CASE(exit_of_a_thread) {
  atexit(handler);
  std::thread([] { exit(0); }).join();
}

// Module finalizers call __cxa_finalize, whose handlers have already run.
static bool finalized;
__attribute__((destructor)) static void finalizer() {
  if (finalized) std::puts("finalizer");
  std::fflush(stdout);
}
CASE(exit_finalizers) {
  finalized = true;
  atexit(handler);
}

CASE(process_large_allocation) {
  std::thread other([] {});
  other.join();
  void* memory = std::malloc(4ull << 30);
  SHOW(memory != nullptr);
  std::free(memory);
}
