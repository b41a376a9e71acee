// Calls that cannot be controlled: the run ends with a message that names the call, instead of a hang or a wrong
// result.
#include <stdarg.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {

namespace {
constexpr const char* kNewProcess = "a child process runs outside the schedule";
constexpr const char* kNewProgram = "it replaces the program";
}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int daemon(int no_chdir, int no_close) noexcept {
  if (controlled()) refuse_call("daemon()", kNewProcess);
  return LOCKSTEP_REAL(daemon)(no_chdir, no_close);
}
LOCKSTEP_EXPORT int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
  if (controlled()) refuse_call("execve()", kNewProgram);
  return LOCKSTEP_REAL(execve)(path, arguments, environment);
}
LOCKSTEP_EXPORT int execv(const char* path, char* const* arguments) noexcept {
  if (controlled()) refuse_call("execv()", kNewProgram);
  return LOCKSTEP_REAL(execv)(path, arguments);
}
LOCKSTEP_EXPORT int execvp(const char* file, char* const* arguments) noexcept {
  if (controlled()) refuse_call("execvp()", kNewProgram);
  return LOCKSTEP_REAL(execvp)(file, arguments);
}
LOCKSTEP_EXPORT int fexecve(int fd, char* const* arguments, char* const* environment) noexcept {
  if (controlled()) refuse_call("fexecve()", kNewProgram);
  return LOCKSTEP_REAL(fexecve)(fd, arguments, environment);
}
LOCKSTEP_EXPORT int execveat(int at, const char* path, char* const* arguments, char* const* environment,
                             int flags) noexcept {
  if (controlled()) refuse_call("execveat()", kNewProgram);
  return LOCKSTEP_REAL(execveat)(at, path, arguments, environment, flags);
}

// The variadic forms collect their arguments into an array for the others.
namespace {
constexpr int kMostArguments = 1024;
void collect(va_list list, const char* first, char** out) {
  int n = 0;
  for (const char* a = first; a && n < kMostArguments - 1; a = va_arg(list, const char*))
    out[n++] = const_cast<char*>(a);
  out[n] = nullptr;
}
}  // namespace
#define LOCKSTEP_VARIADIC_EXEC(name, with_array)                                \
  LOCKSTEP_EXPORT int name(const char* path, const char* first, ...) noexcept { \
    char* arguments[kMostArguments];                                            \
    va_list list;                                                               \
    va_start(list, first);                                                      \
    collect(list, first, arguments);                                            \
    va_end(list);                                                               \
    return with_array(path, arguments);                                         \
  }
LOCKSTEP_VARIADIC_EXEC(execl, execv)
LOCKSTEP_VARIADIC_EXEC(execlp, execvp)
LOCKSTEP_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  char* arguments[kMostArguments];
  va_list list;
  va_start(list, first);
  collect(list, first, arguments);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, arguments, environment);
}
