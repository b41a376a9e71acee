// Calls that leave what can be controlled: the run ends with a sentence that names them, instead of a hang or a wrong
// answer.
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

#include "runtime/sched/interrupt.hpp"

namespace lockstep::rt {

void refuse_call(const char* call, const char* why) {
  char text[256];
  format(text, sizeof text, "the program calls %s, which cannot be controlled: %s", call, why);
  scheduler().end(Outcome::Uncontrolled, 0, text);
}

namespace {
constexpr const char* kNewProcess = "a child process runs outside the schedule";
constexpr const char* kNewProgram = "another program would take the place of this one";
}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT pid_t fork() noexcept {
  if (controlled()) refuse_call("fork()", kNewProcess);
  return LOCKSTEP_REAL(fork)();
}
LOCKSTEP_EXPORT pid_t _Fork() noexcept {
  if (controlled()) refuse_call("_Fork()", kNewProcess);
  return LOCKSTEP_REAL(_Fork)();
}
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
