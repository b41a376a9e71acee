// Loaded into the driver: moments that do not depend on how fast the machine is. Its clock goes on by ten
// milliseconds with every look at it, so "every five seconds" is a number of executions. At the n-th look, or before
// the n-th file is put in its place, it is killed (LOCKSTEP_TEST_DIE=look:n, rename:n), interrupted (signal:n) or
// stopped (stop:n). A disk is full for all files whose path begins with LOCKSTEP_TEST_FULL, from the n-th write on if
// that ends in ":n".
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace {

bool in_driver() {
  static const bool answer = strcmp(program_invocation_short_name, "lockstep") == 0;
  return answer;
}

template <class F>
F* real(const char* name, F*) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// Is this the moment? `kind` as in LOCKSTEP_TEST_DIE.
bool due(const char* kind, long count) {
  const char* when = getenv("LOCKSTEP_TEST_DIE");
  const size_t length = strlen(kind);
  return when && strncmp(when, kind, length) == 0 && when[length] == ':' && atol(when + length + 1) == count;
}

bool disk_is_full(int fd) {
  const char* folder = getenv("LOCKSTEP_TEST_FULL");
  if (!folder || !in_driver()) return false;
  const char* colon = strrchr(folder, ':');
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path);
  const size_t prefix = colon ? static_cast<size_t>(colon - folder) : strlen(folder);
  if (length < static_cast<ssize_t>(prefix) || strncmp(path, folder, prefix) != 0) return false;
  static long writes = 0;
  if (++writes < (colon ? atol(colon + 1) : 0)) return false;
  errno = ENOSPC;
  return true;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t which, timespec* out) {
  static const auto next = real("clock_gettime", &clock_gettime);
  if (which != CLOCK_MONOTONIC || !in_driver()) return next(which, out);
  static long looks = 0;
  const long now = __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
  if (due("look", now)) kill(getpid(), SIGKILL);
  if (due("signal", now)) raise(now % 2 ? SIGINT : SIGTERM);
  if (due("stop", now)) raise(SIGSTOP);
  out->tv_sec = 1000 + now / 100;
  out->tv_nsec = now % 100 * 10'000'000;
  return 0;
}

int rename(const char* from, const char* to) {
  static const auto next = real("rename", &rename);
  static long renames = 0;
  if (in_driver() && due("rename", ++renames)) kill(getpid(), SIGKILL);
  return next(from, to);
}

size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  static const auto next = real("fwrite", &fwrite);
  return disk_is_full(fileno(file)) ? 0 : next(data, size, count, file);
}

ssize_t write(int fd, const void* data, size_t size) {
  static const auto next = real("write", &write);
  return disk_is_full(fd) ? -1 : next(fd, data, size);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  static const auto next = real("writev", &writev);
  return disk_is_full(fd) ? -1 : next(fd, parts, count);
}

}  // extern "C"
