// Calls on state that threads share besides memory: each is one scheduling point before the real function. Calls that
// open or close descriptors are in descriptors.cpp, transfers in blocking_io.cpp, other calls that fill memory in
// stdio.cpp and kernel_writes.cpp.
#include "runtime/intercept/process_state.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <locale.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/library_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/blocking_calls.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"

namespace lockstep::rt {
namespace {

constexpr Use kLook = Use::Look, kChange = Use::Change;

}  // namespace

bool lies_outside(const char* path) { return path && (starts_with(path, "/dev/") || starts_with(path, "/proc/")); }

void note_change_of(const char* path) {
  if (controlled() && !lies_outside(path)) undo.wrote_files();
}

namespace {

void note_look_at(int folder, const char* path) {
  if (controlled()) undo.looks_at(folder, path);
}

// Creates a name in the file system.
template <class F>
int make(int folder, const char* path, F&& call) {
  const StateCall state(StateKind::Files, kChange);
  note_change_of(path);
  const int result = state.done(call());
  if (controlled() && (result == 0 || errno == EEXIST)) undo.made(folder, path, result == 0);
  return result;
}

// A call that returns memory of the C library, which the next such call overwrites.
template <class T>
T* fills_buffer(T* result, const void* caller) {
  if (result) Look(caller).writes(result, sizeof *result);
  return result;
}

Use use_of_command(int command) {
  return command == F_GETFD || command == F_GETFL || command == F_GETLK || command == F_GETOWN ? kLook : kChange;
}

}  // namespace

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

// A call that uses `state`, the arguments of StateCall; `note` runs between the step and the call.
#define LOCKSTEP_STATE(state, note, result, name, parameters, arguments, ...) \
  LOCKSTEP_EXPORT result name parameters __VA_ARGS__ {                        \
    const StateCall call state;                                               \
    note;                                                                     \
    return call.done(LOCKSTEP_REAL(name) arguments);                          \
  }

// --- files by name ---
#define LOCKSTEP_LOOKS(at, path, name, parameters, arguments) \
  LOCKSTEP_STATE((StateKind::Files, kLook), note_look_at(at, path), int, name, parameters, arguments, noexcept)
#define LOCKSTEP_FILLS_STAT(at, path, name, parameters, arguments)            \
  LOCKSTEP_STATE((StateKind::Files, kLook), about_to_write(out, sizeof *out); \
                 note_look_at(at, path), int, name, parameters, arguments, noexcept)
#define LOCKSTEP_CHANGES(path, name, parameters, arguments) \
  LOCKSTEP_STATE((StateKind::Files, kChange), note_change_of(path), int, name, parameters, arguments, noexcept)
#define LOCKSTEP_MAKES(at, path, name, parameters, arguments)             \
  LOCKSTEP_EXPORT int name parameters noexcept {                          \
    return make(at, path, [&] { return LOCKSTEP_REAL(name) arguments; }); \
  }
LOCKSTEP_LOOKS(AT_FDCWD, path, access, (const char* path, int mode), (path, mode))
LOCKSTEP_LOOKS(AT_FDCWD, path, euidaccess, (const char* path, int mode), (path, mode))
LOCKSTEP_LOOKS(AT_FDCWD, path, eaccess, (const char* path, int mode), (path, mode))
LOCKSTEP_LOOKS(at, path, faccessat, (int at, const char* path, int mode, int flags), (at, path, mode, flags))
LOCKSTEP_FILLS_STAT(AT_FDCWD, path, stat, (const char* path, struct stat* out), (path, out))
LOCKSTEP_FILLS_STAT(AT_FDCWD, path, stat64, (const char* path, struct stat64* out), (path, out))
LOCKSTEP_FILLS_STAT(AT_FDCWD, path, lstat, (const char* path, struct stat* out), (path, out))
LOCKSTEP_FILLS_STAT(AT_FDCWD, path, lstat64, (const char* path, struct stat64* out), (path, out))
LOCKSTEP_FILLS_STAT(at, path, fstatat, (int at, const char* path, struct stat* out, int flags), (at, path, out, flags))
LOCKSTEP_FILLS_STAT(at, path, fstatat64, (int at, const char* path, struct stat64* out, int flags),
                    (at, path, out, flags))
LOCKSTEP_FILLS_STAT(at, path, statx, (int at, const char* path, int flags, unsigned mask, struct statx* out),
                    (at, path, flags, mask, out))
LOCKSTEP_STATE((StateKind::Files, kLook), note_look_at(AT_FDCWD, path), char*, realpath, (const char* path, char* out),
               (path, out), noexcept)
LOCKSTEP_STATE((StateKind::Files, kLook), about_to_write(out, size), char*, getcwd, (char* out, size_t size),
               (out, size), noexcept)
LOCKSTEP_STATE((StateKind::Files, kLook), , char*, get_current_dir_name, (), (), noexcept)
LOCKSTEP_STATE((StateKind::Files, kLook), about_to_write(out, size); note_look_at(AT_FDCWD, path), ssize_t, readlink,
                                                                     (const char* path, char* out, size_t size),
                                                                     (path, out, size), noexcept)
LOCKSTEP_STATE((StateKind::Files, kLook), about_to_write(out, size); note_look_at(at, path), ssize_t, readlinkat,
                                                                     (int at, const char* path, char* out, size_t size),
                                                                     (at, path, out, size), noexcept)
LOCKSTEP_STATE((StateKind::Files, kLook), , dirent*, readdir, (DIR * folder), (folder))
LOCKSTEP_STATE((StateKind::Files, kLook), , dirent64*, readdir64, (DIR * folder), (folder))

LOCKSTEP_CHANGES(path, unlink, (const char* path), (path))
LOCKSTEP_CHANGES(path, unlinkat, (int at, const char* path, int flags), (at, path, flags))
LOCKSTEP_CHANGES(path, remove, (const char* path), (path))
LOCKSTEP_CHANGES(path, rmdir, (const char* path), (path))
LOCKSTEP_CHANGES(to, rename, (const char* from, const char* to), (from, to))
LOCKSTEP_CHANGES(to, renameat, (int at, const char* from, int at_to, const char* to), (at, from, at_to, to))
LOCKSTEP_CHANGES(to, renameat2, (int at, const char* from, int at_to, const char* to, unsigned flags),
                 (at, from, at_to, to, flags))
LOCKSTEP_CHANGES(to, link, (const char* from, const char* to), (from, to))
LOCKSTEP_CHANGES(to, linkat, (int at, const char* from, int at_to, const char* to, int flags),
                 (at, from, at_to, to, flags))
LOCKSTEP_CHANGES(path, chmod, (const char* path, mode_t mode), (path, mode))
LOCKSTEP_CHANGES(path, fchmodat, (int at, const char* path, mode_t mode, int flags), (at, path, mode, flags))
LOCKSTEP_CHANGES(path, chown, (const char* path, uid_t user, gid_t group), (path, user, group))
LOCKSTEP_CHANGES(path, truncate, (const char* path, off_t size), (path, size))
LOCKSTEP_CHANGES(path, truncate64, (const char* path, off64_t size), (path, size))
LOCKSTEP_CHANGES(path, utimensat, (int at, const char* path, const timespec* times, int flags),
                 (at, path, times, flags))
LOCKSTEP_STATE((StateKind::Files, kChange), note_change_of(name), int, shm_unlink, (const char* name), (name), )
LOCKSTEP_MAKES(AT_FDCWD, path, mkdir, (const char* path, mode_t mode), (path, mode))
LOCKSTEP_MAKES(at, path, mkdirat, (int at, const char* path, mode_t mode), (at, path, mode))
LOCKSTEP_MAKES(AT_FDCWD, path, mkfifo, (const char* path, mode_t mode), (path, mode))
LOCKSTEP_MAKES(AT_FDCWD, path, mknod, (const char* path, mode_t mode, dev_t device), (path, mode, device))
LOCKSTEP_MAKES(AT_FDCWD, path, symlink, (const char* target, const char* path), (target, path))
LOCKSTEP_MAKES(at, path, symlinkat, (const char* target, int at, const char* path), (target, at, path))

LOCKSTEP_EXPORT mode_t umask(mode_t mask) noexcept {
  const StateCall call(StateKind::Files, kChange);
  const mode_t before = call.done(LOCKSTEP_REAL(umask)(mask));
  if (controlled()) undo.masked(before);
  return before;
}

// --- open files ---
LOCKSTEP_STATE((fd, kLook, false), about_to_write(out, sizeof *out), int, fstat, (int fd, struct stat* out), (fd, out),
               noexcept)
LOCKSTEP_STATE((fd, kLook, false), about_to_write(out, sizeof *out), int, fstat64, (int fd, struct stat64* out),
               (fd, out), noexcept)
LOCKSTEP_STATE((fd, kChange, false), , int, ftruncate, (int fd, off_t size), (fd, size), noexcept)
LOCKSTEP_STATE((fd, kChange, false), , int, ftruncate64, (int fd, off64_t size), (fd, size), noexcept)
LOCKSTEP_STATE((fd, kChange, false), , int, fchmod, (int fd, mode_t mode), (fd, mode), noexcept)
#define LOCKSTEP_SEEK(name, type)                                     \
  LOCKSTEP_EXPORT type name(int fd, type offset, int from) noexcept { \
    const StateCall call(fd, kLook, true);                            \
    const long before = sys(SYS_lseek, fd, 0, SEEK_CUR);              \
    const type now = LOCKSTEP_REAL(name)(fd, offset, from);           \
    call.done(now == before ? -1 : 0);                                \
    return now;                                                       \
  }
LOCKSTEP_SEEK(lseek, off_t)
LOCKSTEP_SEEK(lseek64, off64_t)
LOCKSTEP_STATE((fd, kChange, false), , ssize_t, pwrite, (int fd, const void* bytes, size_t size, off_t offset),
               (fd, bytes, size, offset))
LOCKSTEP_STATE((fd, kChange, false), , ssize_t, pwrite64, (int fd, const void* bytes, size_t size, off64_t offset),
               (fd, bytes, size, offset))

// --- descriptors ---
#define LOCKSTEP_FCNTL(name)                                                                           \
  LOCKSTEP_EXPORT int name(int fd, int command, ...) {                                                 \
    va_list list;                                                                                      \
    va_start(list, command);                                                                           \
    void* argument = va_arg(list, void*);                                                              \
    va_end(list);                                                                                      \
    if (controlled() && is_record_lock(command)) return lock_record(fd, command, argument);            \
    const StateCall call(StateKind::Descriptors, use_of_command(command));                             \
    if (controlled() && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) undo.opened();             \
    if (controlled() && command == F_GETLK) snapshot.touch_if_tracked(argument, sizeof(struct flock)); \
    return call.done(LOCKSTEP_REAL(name)(fd, command, argument));                                      \
  }
LOCKSTEP_FCNTL(fcntl)
LOCKSTEP_FCNTL(fcntl64)
LOCKSTEP_STATE((StateKind::Descriptors, kChange), , int, closedir, (DIR * folder), (folder))
LOCKSTEP_STATE((StateKind::Descriptors, kChange), , int, bind, (int fd, const sockaddr* name, socklen_t size),
               (fd, name, size), noexcept)
LOCKSTEP_STATE((StateKind::Descriptors, kChange), , int, listen, (int fd, int backlog), (fd, backlog), noexcept)

// --- the environment ---
LOCKSTEP_STATE((StateKind::Environment, kLook), , char*, getenv, (const char* name), (name), noexcept)
LOCKSTEP_STATE((StateKind::Environment, kLook), , char*, secure_getenv, (const char* name), (name), noexcept)
// Records writes to memory that other threads may read directly: `environ` and the array it points to.
static int environment_changed(int result, const void* caller) {
  if (!controlled()) return result;
  const Look look(caller);
  race_detector.acquire(self().id, &environ);  // the C library has a lock for it
  look.writes(&environ, sizeof environ);
  size_t count = 1;
  for (char** variable = environ; variable && *variable; ++variable) ++count;
  if (environ) look.writes(environ, count * sizeof *environ);
  race_detector.release(self().id, &environ);
  return result;
}
#define LOCKSTEP_SETS_VARIABLE(name, parameters, arguments)          \
  LOCKSTEP_EXPORT int name parameters noexcept {                     \
    const StateCall call(StateKind::Environment, kChange);           \
    const int result = call.done(LOCKSTEP_REAL(name) arguments);     \
    return environment_changed(result, __builtin_return_address(0)); \
  }
LOCKSTEP_SETS_VARIABLE(setenv, (const char* name, const char* value, int replace), (name, value, replace))
LOCKSTEP_SETS_VARIABLE(putenv, (char* text), (text))
LOCKSTEP_SETS_VARIABLE(unsetenv, (const char* name), (name))
LOCKSTEP_SETS_VARIABLE(clearenv, (), ())

// --- locale: the formatting and conversion of other threads is not a scheduling point ---
LOCKSTEP_EXPORT char* setlocale(int category, const char* name) noexcept {
  const StateCall call(StateKind::Locale, name ? kChange : kLook);
  if (name && controlled() && scheduler().unjoined > 0) notice(FactKind::ChangesLocale);
  return call.done(LOCKSTEP_REAL(setlocale)(category, name));
}
LOCKSTEP_STATE((StateKind::Locale, kLook), , lconv*, localeconv, (), (), noexcept)

// --- limits ---
LOCKSTEP_STATE((StateKind::Limits, kLook), about_to_write(out, sizeof *out), int, getrlimit,
               (__rlimit_resource_t what, rlimit* out), (what, out), noexcept)
LOCKSTEP_STATE((StateKind::Limits, kLook), about_to_write(out, sizeof *out), int, getrlimit64,
               (__rlimit_resource_t what, rlimit64* out), (what, out), noexcept)
static void about_to_limit(int resource, uint64_t limit) {
  if (!controlled()) return;
  if (resource == RLIMIT_AS && limit != RLIM_INFINITY)
    refuse_call("setrlimit(RLIMIT_AS)", "the runtime needs address space of its own");
  undo.limits(resource);
}
#define LOCKSTEP_SETS_LIMIT(name, type)                                              \
  LOCKSTEP_STATE((StateKind::Limits, kChange, StateKind::Descriptors, kChange),      \
                 about_to_limit(static_cast<int>(what), limit->rlim_cur), int, name, \
                 (__rlimit_resource_t what, const type* limit), (what, limit), noexcept)
LOCKSTEP_SETS_LIMIT(setrlimit, rlimit)
LOCKSTEP_SETS_LIMIT(setrlimit64, rlimit64)

// --- buffers and hidden state of the C library ---
#define LOCKSTEP_BUFFER(result, name, parameters, arguments, ...)                               \
  LOCKSTEP_EXPORT result* name parameters __VA_ARGS__ {                                         \
    const StateCall call(StateKind::LibraryBuffers, kChange, StateKind::Environment, kLook);    \
    return fills_buffer(call.done(LOCKSTEP_REAL(name) arguments), __builtin_return_address(0)); \
  }
LOCKSTEP_BUFFER(tm, localtime, (const time_t* when), (when), noexcept)
LOCKSTEP_BUFFER(tm, gmtime, (const time_t* when), (when), noexcept)
LOCKSTEP_BUFFER(char, ctime, (const time_t* when), (when), noexcept)
LOCKSTEP_BUFFER(char, asctime, (const tm* when), (when), noexcept)
LOCKSTEP_BUFFER(passwd, getpwnam, (const char* name), (name))
LOCKSTEP_BUFFER(passwd, getpwuid, (uid_t user), (user))
LOCKSTEP_BUFFER(group, getgrnam, (const char* name), (name))
LOCKSTEP_BUFFER(group, getgrgid, (gid_t id), (id))
LOCKSTEP_EXPORT void tzset() noexcept {
  const StateCall call(StateKind::LibraryBuffers, kChange, StateKind::Environment, kLook);
  LOCKSTEP_REAL(tzset)();
  call.done(0);
}
LOCKSTEP_STATE((StateKind::LibraryBuffers, kChange, StateKind::Environment, kLook), , time_t, mktime, (tm * when),
               (when), noexcept)
LOCKSTEP_STATE((StateKind::LibraryBuffers, kLook, StateKind::Environment, kLook), , tm*, localtime_r,
               (const time_t* when, tm* out), (when, out), noexcept)
LOCKSTEP_STATE((StateKind::LibraryBuffers, kChange), , char*, strtok, (char* text, const char* between),
               (text, between), noexcept)
