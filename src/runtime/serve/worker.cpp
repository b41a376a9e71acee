// The service loop of a worker process: runs plans and writes traces.
#include "runtime/serve/worker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/checks/locked_instructions.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/library.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/serve/checkpoint_policy.hpp"
#include "runtime/serve/execution_commands.hpp"
#include "runtime/serve/messages.hpp"
#include "runtime/serve/modules.hpp"
#include "runtime/threads/threads.hpp"

namespace lockstep::rt {
namespace {

// --- one execution ---

void write_out(FILE* stream) {
  // Writes what the program printed but did not flush before it failed: it is part of the output.
  if (stream && stream->_IO_write_ptr > stream->_IO_write_base)
    sys(SYS_write, stream->_fileno, word(stream->_IO_write_base), stream->_IO_write_ptr - stream->_IO_write_base);
}

void redirect_output(int to) {
  sys(SYS_dup3, to, 1, 0);
  sys(SYS_dup3, to, 2, 0);
}

struct {
  int quiet = -1;   // for unwanted output
  int output = -1;  // of the current execution, to be compared
} descriptors;

// Moves a descriptor to a number that programs hardly use; returns it unchanged if there is none.
int out_of_the_way(long fd) {
  if (fd < 0) return static_cast<int>(fd);
  const long high = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (high < 0) return static_cast<int>(fd);
  sys(SYS_close, fd);
  return static_cast<int>(high);
}

int captured_in() {
  const Channel& channel = *runtime.channel;
  return settings.plan->detail && channel.capture_fd ? static_cast<int>(channel.capture_fd) : descriptors.output;
}

void begin_capture() {
  sys(SYS_ftruncate, captured_in(), 0);
  sys(SYS_lseek, captured_in(), 0, SEEK_SET);
  redirect_output(captured_in());
}

// Executions with different initial states outside the program are not comparable.
void refuse_to_go_on(const char* why) {
  Scheduler& s = scheduler();
  s.outcome = Outcome::Uncontrolled;
  s.message_size = 0;
  for (; why[s.message_size] && s.message_size < sizeof s.message; ++s.message_size)
    s.message[s.message_size] = why[s.message_size];
}

uint64_t hash_of_file(int fd) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  unsigned char bytes[4096] = {};
  long at = 0;
  for (;;) {
    const long size = sys(SYS_pread64, fd, word(bytes), sizeof bytes, at);
    if (size <= 0) break;
    for (long i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    at += size;
  }
  return hash ? hash : 1;
}

void end_capture() {
  write_out(stdout);
  // A reset restores the stream; otherwise its buffer must not be written twice.
  if (runtime.isolation == Isolation::Loop && stdout) stdout->_IO_write_ptr = stdout->_IO_write_base;
  redirect_output(descriptors.quiet);
  if (runtime.channel->compares_output) scheduler().output = hash_of_file(captured_in());
}

// Runs until the execution is over or cannot continue in this process. Threads that request a checkpoint return here in
// between.
void run_threads(Thread& first) {
  for (Thread* next = &first; next; next = checkpoint_policy().save_if_requested()) {
    runtime.current = next;
    runtime.running = true;
    if (runtime.fibers)
      fiber::switch_to(*runtime.controller, *next);
    else
      os_thread::switch_to(*runtime.controller, *next);
  }
}

void execute_from_beginning(const PlanHeader* plan) {
  for (;;) {
    checkpoint_policy().run_from_beginning();
    if (runtime.isolation == Isolation::Reset && snapshot.taken()) restore_initial_state();
    if (UNLIKELY(runtime.channel->rewinds_input)) sys(SYS_lseek, 0, 0, SEEK_SET);
    runtime.after_step = 0;
    prepare(*plan);
    Thread& main = new_main();
    const bool prepared = before_each_execution();
    if (settings.captures_output) begin_capture();
    run_threads(main);
    if (settings.captures_output) end_capture();
    if (const bool cleaned = after_each_execution(); !prepared || !cleaned) refuse_to_go_on(execution_command_error());
    if (!missing.any()) {
      if (LIKELY(call_sites.end(scheduler().outcome))) return;
      continue;
    }
    // The execution needs more threads than the pool has, or another library: it starts over with them.
    checkpoint_policy().run_from_beginning();
    if (runtime.isolation == Isolation::Reset) snapshot.restore();
    if (missing.pool_threads) grow_pool(missing.pool_threads + 8);
    if (missing.library.file[0]) load_missing_library();
    if (runtime.isolation == Isolation::Reset) {
      snapshot.absorb();
      snapshot.extend();
    }
  }
}

// After these outcomes the memory of this process is unreliable: the driver starts a new one.
bool must_retire() {
  const Outcome o = scheduler().outcome;
  if (runtime.isolation == Isolation::Loop) return o != Outcome::Ok;
  return o == Outcome::Crash || o == Outcome::Uncontrolled ||
         (o == Outcome::Abort && scheduler().code == SIGABRT && scheduler().fault_address);
}

void execute(const PlanHeader* plan) {
  CheckpointPolicy& policy = checkpoint_policy();
  const bool resumes = policy.begin(*plan, plan_after);
  if (resumes) {
    run_threads(policy.resume());
  }
  if (!resumes || missing.any()) {
    execute_from_beginning(plan);
  } else if (policy.check_due() && !must_retire()) {
    const uint64_t from_checkpoint = digest_of_trace();
    execute_from_beginning(plan);
    if (digest_of_trace() != from_checkpoint) {
      notice(FactKind::CheckpointsDiffer);
      policy.turn_off();
    }
  }
  after_execution();
  policy.end();
}

// A program that depends on something outside may follow its plan the next time (CHESS, section 4.2).
constexpr int kAttempts = 3;
void execute_as_planned(const PlanHeader* plan) {
  for (int attempt = 1;; ++attempt) {
    // Retries start from the beginning: the driver has no trace that the checkpoint of a lost attempt could continue.
    attempt == 1 ? execute(plan) : execute_from_beginning(plan);
    if (scheduler().outcome != Outcome::Diverged || attempt == kAttempts) return;
  }
}

void prime() {
  if (runtime.isolation != Isolation::Loop) return;
  PlanHeader plan{};
  plan.max_steps = static_cast<uint32_t>(runtime.channel->max_steps);
  for (uint32_t i = 0; i < runtime.channel->prime; ++i) {
    execute(&plan);
    if (scheduler().outcome != Outcome::Ok) return;  // the search will find this failure
  }
}

void run_in_child(const PlanHeader* plan) {
  constexpr int kTryAgain = 97;  // instead of writing a trace
  int status = 0;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const long pid = sys(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      execute(plan);
      if (scheduler().outcome == Outcome::Diverged && attempt < kAttempts) sys(SYS_exit_group, kTryAgain);
      write_trace(plan->id);
      sys(SYS_exit_group, 0);
    }
    sys(SYS_wait4, pid, word(&status), 0, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != kTryAgain) break;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  PlanHeader nothing = *plan;  // for a trace without steps
  nothing.policy = Policy::Default;
  nothing.deltas = nothing.sleepers = nothing.tracked = nothing.extra_words = nothing.described = 0;
  prepare(nothing);
  Scheduler& s = scheduler();
  s.outcome = Outcome::WorkerDied;
  s.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  write_trace(plan->id);
}

}  // namespace

void serve_plans() {
  Channel& channel = *runtime.channel;
  descriptors.quiet = out_of_the_way(sys(SYS_openat, AT_FDCWD, word("/dev/null"), O_RDWR | O_CLOEXEC));
  if (descriptors.quiet >= 0) {
    if (!channel.debug)
      redirect_output(descriptors.quiet);
    else  // the program must not read gdb's input
      sys(SYS_dup3, channel.rewinds_input ? kDebugInputFd : descriptors.quiet, 0, 0);
  }
  if (channel.compares_output)
    descriptors.output = out_of_the_way(sys(SYS_memfd_create, word("lockstep-compared"), MFD_CLOEXEC));
  undo.remember();
  sys(SYS_sched_getaffinity, 0, sizeof runtime.cpus, word(&runtime.cpus));
  // Under a debugger an execution cannot start over with more threads, so all of them are created now.
  if (channel.debug) grow_pool(runtime.thread_table->count.load(std::memory_order_relaxed));
  channel.instrumented = runtime.instrumented;
  channel.fiber = runtime.fibers;
  channel.isolation_used = runtime.isolation;
  channel.pid.store(static_cast<uint32_t>(sys(SYS_getpid)), std::memory_order_relaxed);
  channel.state.store(WorkerState::Ready, std::memory_order_release);
  ring_bell(channel.traces);
  prime();
  while (const PlanHeader* plan = next_plan()) {
    channel.executing.store(plan->id + 1, std::memory_order_relaxed);
    if (runtime.isolation == Isolation::Fork) {
      plain_functions.update(channel);  // here, otherwise every child would have to do it
      locked_instructions.update(channel);
      run_in_child(plan);
    } else {
      execute_as_planned(plan);
      write_trace(plan->id);
    }
    channel.executing.store(0, std::memory_order_relaxed);
    plan_done(plan);
    if (runtime.isolation != Isolation::Fork && must_retire()) break;
  }
  channel.state.store(WorkerState::Exited, std::memory_order_release);
  ring_bell(channel.traces);
  sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

bool attach_channel(int channel_fd, int table_fd) {
  auto map = [](int fd) -> void* {
    struct stat info {};
    if (fstat(fd, &info) != 0 || info.st_size <= 0) return nullptr;
    void* p = mmap(reinterpret_cast<void*>(next_shared_address(static_cast<size_t>(info.st_size))),
                   static_cast<size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    sys(SYS_close, fd);
    return p == MAP_FAILED ? nullptr : p;
  };
  runtime.channel = static_cast<Channel*>(map(channel_fd));
  runtime.thread_table = static_cast<ThreadTable*>(map(table_fd));
  return runtime.channel && runtime.thread_table && runtime.channel->magic == kChannelMagic &&
         runtime.channel->version == kChannelVersion;
}

}  // namespace lockstep::rt
