// Calls that open descriptors or map memory: recorded, so that they can be undone before the next execution.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/blocking_calls.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/intercept/process_state.hpp"
#include "runtime/intercept/random.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace {
// Opens or closes descriptors by `call`, as a step: the first thread to open gets the lower number.
template <class F>
auto open_by(F&& call) {
  const StateCall state(StateKind::Descriptors, Use::Change);
  if (controlled()) undo.opened();
  return state.done(call());
}

// The random devices become files with bytes from the thread's own random stream: programs read seeds from them.
bool is_random_device(const char* path) {
  return controlled() && (equal(path, "/dev/urandom") || equal(path, "/dev/random"));
}
int open_random(int flags) {
  const long fd = sys(SYS_memfd_create, word("random"), flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  char bytes[16 << 10];
  draw_bytes(bytes, sizeof bytes);
  sys(SYS_pwrite64, fd, word(bytes), sizeof bytes, 0);
  return static_cast<int>(fd);
}

// Files outlive an execution. Notes it for the driver, so that no two executions write to them at the same time.
void note_writing(const char* path, bool writes) {
  if (controlled() && (starts_with(path, "/proc/") || starts_with(path, "/sys/"))) notice(FactKind::ReadsSystem);
  if (writes && controlled() && !lies_outside(path)) undo.wrote_files();
}

int flags_of(const char* mode) {
  int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (mode[0] == 'w' ? O_TRUNC : O_APPEND);
  for (const char* m = mode; *m; ++m) {
    if (*m == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*m == 'x') flags |= O_EXCL;
  }
  return flags;
}

int descriptor_of(int fd) { return fd; }
int descriptor_of(DIR*) { return -1; }  // folders are not written
int descriptor_of(FILE* stream) { return stream ? fileno(stream) : -1; }

// Opens a file by `call`, and notes the effect on other executions.
template <class F>
auto open_file(int folder, const char* path, int flags, F&& call) {
  const StateCall state(StateKind::Files, flags & (O_CREAT | O_TRUNC) ? Use::Change : Use::Look, StateKind::Descriptors,
                        Use::Change);
  if (controlled()) undo.opened();
  note_writing(path, (flags & (O_CREAT | O_ACCMODE)) != 0);
  const bool starts = controlled() && undo.starts_file(folder, path, flags);
  const auto result = state.done(call());
  if (starts && descriptor_of(result) >= 0) undo.started_file(descriptor_of(result));
  return result;
}

int mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; }
}  // namespace

#define LOCKSTEP_OPEN(name)                                                                          \
  LOCKSTEP_EXPORT int name(const char* path, int flags, ...) {                                       \
    va_list list;                                                                                    \
    va_start(list, flags);                                                                           \
    const int mode = mode_of(flags, list);                                                           \
    va_end(list);                                                                                    \
    if (is_random_device(path)) return open_by([&] { return open_random(flags); });                  \
    if (UNLIKELY(waits_for_other_end(path, flags))) return open_named_pipe(path, flags);             \
    return open_file(AT_FDCWD, path, flags, [&] { return LOCKSTEP_REAL(name)(path, flags, mode); }); \
  }
LOCKSTEP_OPEN(open)
LOCKSTEP_OPEN(open64)

#define LOCKSTEP_OPENAT(name)                                                                      \
  LOCKSTEP_EXPORT int name(int at, const char* path, int flags, ...) {                             \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    const int mode = mode_of(flags, list);                                                         \
    va_end(list);                                                                                  \
    if (is_random_device(path)) return open_by([&] { return open_random(flags); });                \
    return open_file(at, path, flags, [&] { return LOCKSTEP_REAL(name)(at, path, flags, mode); }); \
  }
LOCKSTEP_OPENAT(openat)
LOCKSTEP_OPENAT(openat64)

LOCKSTEP_EXPORT int creat(const char* path, mode_t mode) {
  return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, [&] { return LOCKSTEP_REAL(creat)(path, mode); });
}
LOCKSTEP_EXPORT FILE* fopen(const char* path, const char* mode) {
  if (is_random_device(path)) return open_by([&] { return fdopen(open_random(O_CLOEXEC), mode); });
  return open_file(AT_FDCWD, path, flags_of(mode), [&] { return LOCKSTEP_REAL(fopen)(path, mode); });
}
LOCKSTEP_EXPORT FILE* fopen64(const char* path, const char* mode) {
  if (is_random_device(path)) return open_by([&] { return fdopen(open_random(O_CLOEXEC), mode); });
  return open_file(AT_FDCWD, path, flags_of(mode), [&] { return LOCKSTEP_REAL(fopen64)(path, mode); });
}
LOCKSTEP_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  if (!path) return open_by([&] { return LOCKSTEP_REAL(freopen)(path, mode, stream); });
  return open_file(AT_FDCWD, path, flags_of(mode), [&] { return LOCKSTEP_REAL(freopen)(path, mode, stream); });
}
LOCKSTEP_EXPORT int fclose(FILE* stream) {  // also writes out its buffer
  const StreamCall other_end(stream, Use::Change);
  const StateCall state(StateKind::Files, Use::Change, StateKind::Descriptors, Use::Change);
  if (controlled()) undo.opened();
  return other_end.done(state.done(LOCKSTEP_REAL(fclose)(stream)));
}
#define LOCKSTEP_TEMPORARY(result, name, parameters, arguments)                                 \
  LOCKSTEP_EXPORT result name parameters {                                                      \
    const StateCall state(StateKind::Files, Use::Change, StateKind::Descriptors, Use::Change);  \
    if (controlled()) undo.opened();                                                            \
    const auto made = state.done(LOCKSTEP_REAL(name) arguments);                                \
    if (controlled() && descriptor_of(made) >= 0) undo.started_file(descriptor_of(made), true); \
    return made;                                                                                \
  }
LOCKSTEP_TEMPORARY(FILE*, tmpfile, (), ())
LOCKSTEP_TEMPORARY(FILE*, tmpfile64, (), ())
LOCKSTEP_TEMPORARY(int, mkstemp, (char* pattern), (pattern))
LOCKSTEP_TEMPORARY(int, mkstemp64, (char* pattern), (pattern))
LOCKSTEP_TEMPORARY(int, mkostemp, (char* pattern, int flags), (pattern, flags))
LOCKSTEP_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  const StateCall state(StateKind::Files, Use::Change, StateKind::Descriptors, Use::Change);
  if (controlled()) undo.opened(), undo.wrote_files();
  return state.done(LOCKSTEP_REAL(shm_open)(name, flags, mode));
}
LOCKSTEP_EXPORT DIR* opendir(const char* path) {
  return open_file(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, [&] { return LOCKSTEP_REAL(opendir)(path); });
}
LOCKSTEP_EXPORT int chdir(const char* path) noexcept {
  const StateCall state(StateKind::Files, Use::Change);
  if (controlled()) undo.moved();
  return state.done(LOCKSTEP_REAL(chdir)(path));
}
LOCKSTEP_EXPORT int fchdir(int fd) noexcept {
  const StateCall state(StateKind::Files, Use::Change);
  if (controlled()) undo.moved();
  return state.done(LOCKSTEP_REAL(fchdir)(fd));
}
LOCKSTEP_EXPORT int dup(int fd) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(dup)(fd); });
}
LOCKSTEP_EXPORT int dup2(int from, int to) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(dup2)(from, to); });
}
LOCKSTEP_EXPORT int dup3(int from, int to, int flags) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(dup3)(from, to, flags); });
}
LOCKSTEP_EXPORT int pipe(int* fds) noexcept {
  about_to_write(fds, 2 * sizeof *fds);
  return open_by([&] { return LOCKSTEP_REAL(pipe)(fds); });
}
LOCKSTEP_EXPORT int pipe2(int* fds, int flags) noexcept {
  about_to_write(fds, 2 * sizeof *fds);
  return open_by([&] { return LOCKSTEP_REAL(pipe2)(fds, flags); });
}
LOCKSTEP_EXPORT int socket(int domain, int type, int protocol) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(socket)(domain, type, protocol); });
}
LOCKSTEP_EXPORT int socketpair(int domain, int type, int protocol, int* fds) noexcept {
  about_to_write(fds, 2 * sizeof *fds);
  return open_by([&] { return LOCKSTEP_REAL(socketpair)(domain, type, protocol, fds); });
}
LOCKSTEP_EXPORT int eventfd(unsigned value, int flags) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(eventfd)(value, flags); });
}
LOCKSTEP_EXPORT int epoll_create(int size) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(epoll_create)(size); });
}
LOCKSTEP_EXPORT int epoll_create1(int flags) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(epoll_create1)(flags); });
}
LOCKSTEP_EXPORT int memfd_create(const char* name, unsigned flags) noexcept {
  return open_by([&] { return LOCKSTEP_REAL(memfd_create)(name, flags); });
}

LOCKSTEP_EXPORT void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  const long result = sys(SYS_mmap, word(address), static_cast<long>(size), protection, flags, fd, offset);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return MAP_FAILED;
  }
  void* p = reinterpret_cast<void*>(result);
  if (controlled()) {
    undo.mapped(p, size);
    if (race_detector.on())
      race_detector.reused(reinterpret_cast<uintptr_t>(p), size);  // forgets the former memory there
  }
  return p;
}
LOCKSTEP_EXPORT void* mmap64(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  return mmap(address, size, protection, flags, fd, offset);
}
LOCKSTEP_EXPORT int munmap(void* address, size_t size) noexcept {
  if (controlled()) undo.unmapped(address, size);
  return syscall_result(sys(SYS_munmap, word(address), static_cast<long>(size)));
}
