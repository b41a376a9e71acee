// Runs the user's commands around executions in processes of their own.
#include "runtime/serve/execution_commands.hpp"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/runtime.hpp"

namespace lockstep::rt {
namespace {

using AroundFunction = void (*)(void*);

struct {
  AroundFunction setup, teardown;  // of lockstep::explore()
  void* argument;
  char error[512];
} execution_commands;

constexpr unsigned kMostEnvironment = 4096;

// Runs the command like the user's shell: without the runtime, which the program's environment names.
[[noreturn]] void become_shell(const char* command) {
  const char* words[] = {"sh", "-c", command, nullptr};
  const char* environment[kMostEnvironment + 1];
  unsigned count = 0;
  for (char** variable = environ; variable && *variable && count < kMostEnvironment; ++variable)
    if (strncmp(*variable, "LD_PRELOAD=", 11) != 0) environment[count++] = *variable;
  environment[count] = nullptr;
  sys(SYS_execve, word("/bin/sh"), word(words), word(environment));
  sys(SYS_exit_group, 127);
  __builtin_unreachable();
}

void explain(const char* option, const char* what, const char* number, const char* command) {
  size_t size = 0;
  const auto add = [&size](const char* text) {
    for (; text && *text && size + 1 < sizeof execution_commands.error; ++text)
      execution_commands.error[size++] = *text;
  };
  add(option);
  add(what);
  add(number);
  add(command[0] ? ": " : nullptr);
  add(command);
  execution_commands.error[size] = 0;
}

bool run_apart(const char* option, const char* command, AroundFunction function) {
  if (command[0] == 0 && !function) return true;
  const long pid = sys(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    if (command[0]) become_shell(command);
    function(execution_commands.argument);
    sys(SYS_exit_group, 0);
  }
  int status = 0;
  if (pid < 0 || sys(SYS_wait4, pid, word(&status), 0, 0) < 0) {
    explain(option, " cannot be run", nullptr, command);
    return false;
  }
  if (status == 0) return true;
  char number[4];
  const int code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  unsigned digits = 0;
  if (code >= 100) number[digits++] = static_cast<char>('0' + code / 100);
  if (code >= 10) number[digits++] = static_cast<char>('0' + code / 10 % 10);
  number[digits++] = static_cast<char>('0' + code % 10);
  number[digits] = 0;
  explain(option, WIFSIGNALED(status) ? " failed with signal " : " failed with exit code ", number, command);
  return false;
}

}  // namespace

bool before_each_execution() {
  const char* command = runtime.channel->before_each;
  return run_apart(command[0] ? "--before-each" : "setup", command, execution_commands.setup);
}

bool after_each_execution() {
  const char* command = runtime.channel->after_each;
  return run_apart(command[0] ? "--after-each" : "teardown", command, execution_commands.teardown);
}

const char* execution_command_error() { return execution_commands.error; }

}  // namespace lockstep::rt

// Called before lockstep_rt_serve(). Either function may be null.
LOCKSTEP_EXPORT void lockstep_rt_execution_functions(void (*setup)(void*), void (*teardown)(void*), void* argument) {
  using lockstep::rt::execution_commands;
  execution_commands.setup = setup;
  execution_commands.teardown = teardown;
  execution_commands.argument = argument;
}
