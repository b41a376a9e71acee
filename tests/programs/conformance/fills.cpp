// Calls by which the kernel fills memory that the program has not touched yet, a page of its own each.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "conformance.hpp"

template <class T>
struct alignas(4096) Untouched {
  T value;
  char rest[4096 - sizeof(T) % 4096];
};

#define FILLS(name, type, call)  \
  CASE(fills_##name) {           \
    static Untouched<type> page; \
    type& out = page.value;      \
    ERRNO(call);                 \
  }

struct Bytes {
  char at[20000];
};
FILLS(fstatat, struct stat, fstatat(AT_FDCWD, "/", &out, 0))
FILLS(statx, struct statx, statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &out))
FILLS(statfs, struct statfs, statfs("/", &out))
FILLS(getrusage, rusage, getrusage(RUSAGE_SELF, &out))
FILLS(getrlimit, rlimit, getrlimit(RLIMIT_NOFILE, &out))
FILLS(sysinfo, struct sysinfo, sysinfo(&out))
FILLS(times, tms, times(&out))
FILLS(readlinkat, Bytes, readlinkat(AT_FDCWD, "/proc/self/exe", out.at, sizeof out.at))
FILLS(by_number, struct sysinfo, syscall(SYS_sysinfo, &out))

CASE(fills_getgroups) {
  static Untouched<gid_t[64]> page;
  ERRNO(getgroups(64, page.value));
}
CASE(fills_fstatfs) {
  static Untouched<struct statfs> page;
  const int fd = open("/", O_RDONLY);
  ERRNO(fstatfs(fd, &page.value));
}
CASE(fills_pread64) {
  static Untouched<Bytes> page;
  const int fd = open("/proc/self/exe", O_RDONLY);
  SHOW(pread64(fd, page.value.at, 9000, 0));
}
CASE(fills_preadv) {
  static Untouched<Bytes> page;
  const int fd = open("/proc/self/exe", O_RDONLY);
  iovec part{page.value.at, 9000};
  SHOW(preadv(fd, &part, 1, 0));
}
CASE(fills_fread) {
  static Untouched<Bytes> page;
  FILE* file = fopen("/proc/self/exe", "r");
  SHOW(fread(page.value.at, 1, 16000, file));
}
CASE(fills_waitpid) {
  static Untouched<int> page;
  FILE* out = popen("exit 0", "r");
  char c;
  (void)!fread(&c, 1, 1, out);
  SHOW(waitpid(-1, &page.value, 0) > 0);
}
CASE(fills_getpeername) {
  static Untouched<sockaddr_un> page;
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  static Untouched<socklen_t> size;
  size.value = sizeof page.value;
  ERRNO(getpeername(ends[0], reinterpret_cast<sockaddr*>(&page.value), &size.value));
}
CASE(fills_ioctl) {
  static Untouched<int> page;
  int ends[2];
  assert(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
  ERRNO(ioctl(ends[0], FIONREAD, &page.value));
  SHOW(page.value);
}
