// Starts and ends a worker process, or runs it under a debugger.
#include "target/worker_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep {
namespace {

// Resource limits of this process, which the program inherits.
std::string limit_too_low() {
  constexpr rlim_t kDescriptors = 256, kStack = 1 << 20;
  rlimit files{}, stack{};
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_STACK, &stack);
  if (files.rlim_cur < kDescriptors)
    return "only " + std::to_string(files.rlim_cur) + " open files are allowed; Lockstep needs " +
           std::to_string(kDescriptors) + " (ulimit -n)";
  if (stack.rlim_cur < kStack)
    return "the stack is limited to " + std::to_string(stack.rlim_cur >> 10) + " KiB; Lockstep needs " +
           std::to_string(kStack >> 10) + " (ulimit -s)";
  return {};
}

Error cannot_start() {
  return {ExitCode::Uncontrolled, std::string("cannot start a process: ") + std::strerror(errno)};
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::string unexpected_ending(int status) {
  if (WIFSIGNALED(status)) return std::string("the process was killed by signal ") + strsignal(WTERMSIG(status));
  return "the process ended unexpectedly with exit code " + std::to_string(WEXITSTATUS(status));
}

WorkerProcess::~WorkerProcess() { kill(); }

void WorkerProcess::kill() {
  if (pid_ <= 0) return;
  channel_.stop();
  ::kill(-pid_, SIGKILL);  // its whole process group, including children of an execution
  ::kill(pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
  pid_ = -1;
}

// A worker that is killed from outside while it starts is started again a few times.
Result<bool> WorkerProcess::start() {
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    Result<bool> started = start_once();
    if (started && notice_early_thread()) started = start_once();
    const bool killed = !started && pid_ < 0 && WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL;
    if (!killed || attempt == kAttempts) return started;
  }
}

Result<bool> WorkerProcess::create_channel() {
  if (const std::string problem = limit_too_low(); !problem.empty()) return Error{ExitCode::Uncontrolled, problem};
  kill();
  driver_ = getpid();
  if (auto created = channel_.create(); !created) return created;
  channel_.shared().runs_constructors = early_threads_;
  channel_.shared().instrumented = instrumented_;
  return true;
}

// A thread that starts before main can be controlled only if its start is part of the execution.
bool WorkerProcess::notice_early_thread() {
  const Channel& c = channel_.shared();
  if (c.state.load(std::memory_order_acquire) != WorkerState::EarlyThread) return false;
  early_threads_ = true;
  instrumented_ = c.instrumented;
  return true;
}

Result<bool> WorkerProcess::start_once() {
  status_ = 0;
  if (auto created = create_channel(); !created) return created;
  pid_ = fork();
  if (pid_ < 0) return cannot_start();
  if (pid_ == 0) become_program();
  // The program's constructors run first. They may take a while, but not without limit.
  const auto failed = [this](const std::string& how) {
    return Error{ExitCode::Uncontrolled, "'" + options_.path + "' " + how};
  };
  constexpr int kPoll = 20;
  for (int waited = 0; channel_.sleep_while_starting(kPoll); waited += kPoll) {
    if (!alive()) return failed(ending_before_main());
    if (waited > 60'000) return failed("did not reach main() within one minute");
    if (options_.must_stop()) return failed("did not reach main() in time");
  }
  const Channel& c = channel_.shared();
  if (c.state.load(std::memory_order_acquire) == WorkerState::Refused)
    return Error{ExitCode::Uncontrolled, std::string(c.text, c.text_bytes.load(std::memory_order_acquire))};
  return true;
}

std::string WorkerProcess::ending_before_main() const {
  if (WIFSIGNALED(status_)) return std::string("ended before main() (signal ") + strsignal(WTERMSIG(status_)) + ")";
  if (WEXITSTATUS(status_) == 127) return "cannot be started; check its shared libraries with ldd";
  return "ended before main() (exit code " + std::to_string(WEXITSTATUS(status_)) + ")";
}

void WorkerProcess::hand_over_descriptors() const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != driver_) _exit(127);  // the driver died before prctl()
  personality(ADDR_NO_RANDOMIZE | static_cast<unsigned long>(personality(0xffffffff)));
  dup2(channel_.fd(), kChannelFd);
  dup2(options_.thread_table_fd, kTableFd);
  if (options_.capture_fd >= 0) dup2(options_.capture_fd, kCaptureFd);
}

void WorkerProcess::become_program() {
  setpgid(0, 0);  // only the driver gets Ctrl-C
  (void)sched_setaffinity(0, sizeof options_.cpus, &options_.cpus);
  // All workers wait for the search, which must not lose its core to a worker that it wakes. Another scheduling policy
  // is the user's choice.
  const sched_param lowest{};
  if (!options_.alone() && sched_getscheduler(0) == SCHED_OTHER) (void)sched_setscheduler(0, SCHED_BATCH, &lowest);
  hand_over_descriptors();
  if (options_.body) {
    options_.body(kChannelFd, kTableFd);
    _exit(127);
  }
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
  // Opened again, because every worker needs its own file position.
  if (options_.input_fd() >= 0)
    if (const int input = open(("/proc/self/fd/" + std::to_string(options_.input_fd())).c_str(), O_RDONLY);
        input >= 0) {
      dup2(input, 0);
      close(input);
    }
  if (null > 2) close(null);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  const std::vector<std::string> environment = program_environment(options_);
  execve(options_.path.c_str(), pointers(options_.command).data(), pointers(environment).data());
  _exit(127);
}

Result<int> WorkerProcess::debug(const Plan& plan, const std::vector<std::string>& debugger) {
  if (auto started = start(); !started) return started.error();  // a first start shows whether there are early threads
  channel_.make_room_for(plan);
  if (auto created = create_channel(); !created) return created.error();
  channel_.shared().debug = 1;
  channel_.send(plan);
  channel_.stop();  // stops after this plan
  std::vector<std::string> words = debugger;
  // gdb starts the program with $SHELL, so that arguments are interpreted. The shell must keep its environment, and
  // must not load the runtime.
  std::string wrapper = "set exec-wrapper env";
  for (const std::string& variable : runtime_variables(options_)) wrapper += " " + shell_quoted(variable);
  words.insert(words.end(), {"-iex", wrapper});
  const char* shell = getenv("SHELL");
  words.insert(words.end(),
               {"-iex", shell ? std::string("set environment SHELL ") + shell : "unset environment SHELL"});
  words.push_back("--args");
  words.push_back(options_.path);
  words.insert(words.end(), options_.command.begin() + 1, options_.command.end());
  const std::vector<char*> argv = pointers(words);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is for the debugger
  const pid_t child = fork();
  if (child < 0) return cannot_start();
  if (child == 0) {
    hand_over_descriptors();
    if (options_.input_fd() >= 0) dup2(options_.input_fd(), kDebugInputFd);
    signal(SIGINT, SIG_DFL);
    setenv("SHELL", "/bin/sh", 1);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return Error{ExitCode::Usage, "cannot start the debugger '" + debugger[0] + "': is it installed?"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool WorkerProcess::alive() {
  if (pid_ <= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = status;
  ::kill(-pid_, SIGKILL);
  pid_ = -1;
  return false;
}

}  // namespace lockstep
