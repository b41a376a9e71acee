#include "runtime/serve/worker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/detect/tell.hpp"
#include "runtime/fiber/backend.hpp"
#include "runtime/intercept/named_semaphores.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/intercept/timers.hpp"
#include "runtime/root.hpp"
#include "runtime/sched/lookahead.hpp"
#include "runtime/sched/native_loops.hpp"
#include "runtime/sched/threads.hpp"
#include "runtime/serve/dispositions.hpp"
#include "runtime/serve/saving.hpp"

namespace lockstep::rt {
namespace {

// A look or two before going to sleep: pauses are long on recent processors, and spinning takes a core from others.
constexpr unsigned kSpins = 4;

char* channel_bytes(uint64_t offset) { return reinterpret_cast<char*>(runtime.channel) + offset; }

void ring_bell(Ring& ring) {
  ring.reader_sleeps.store(0, std::memory_order_relaxed);
  ring.bell.fetch_add(1, std::memory_order_release);
  futex_wake(&ring.bell);
}

// --- reading plans ---

// The next plan, or nullptr when the driver wants us to stop. Before sleeping, the driver is told of what is done.
const PlanHeader* next_plan() {
  Ring& plans = runtime.channel->plans;
  Ring& traces = runtime.channel->traces;
  uint64_t position = plans.read.load(std::memory_order_relaxed);
  for (unsigned spins = 0;; ++spins) {
    if (plans.written.load(std::memory_order_acquire) != position) {
      const char* at = channel_bytes(plans.offset) + position % plans.capacity;
      if (*reinterpret_cast<const uint32_t*>(at) != kWrap) return reinterpret_cast<const PlanHeader*>(at);
      position += plans.capacity - position % plans.capacity;
      plans.read.store(position, std::memory_order_release);
      continue;
    }
    if (runtime.channel->stop.load(std::memory_order_acquire)) return nullptr;
    if (spins < kSpins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      continue;
    }
    if (traces.reader_sleeps.load(std::memory_order_seq_cst)) ring_bell(traces);
    const uint32_t bell = plans.bell.load(std::memory_order_acquire);
    plans.reader_sleeps.store(1, std::memory_order_seq_cst);
    if (plans.written.load(std::memory_order_seq_cst) == position && !runtime.channel->stop.load(std::memory_order_acquire)) {
      timespec limit{1, 0};  // notices a driver that died without a word
      futex_wait(&plans.bell, bell, &limit);
    }
    plans.reader_sleeps.store(0, std::memory_order_relaxed);
  }
}

// The one after it, if it is there already.
const PlanHeader* plan_after(const PlanHeader* plan) {
  const Ring& plans = runtime.channel->plans;
  uint64_t position = plans.read.load(std::memory_order_relaxed) + plan->bytes;
  const uint64_t written = plans.written.load(std::memory_order_acquire);
  if (position == written) return nullptr;
  const char* base = channel_bytes(plans.offset);
  if (*reinterpret_cast<const uint32_t*>(base + position % plans.capacity) == kWrap)
    position += plans.capacity - position % plans.capacity;
  return position == written ? nullptr : reinterpret_cast<const PlanHeader*>(base + position % plans.capacity);
}

void plan_done(const PlanHeader* plan) {
  Ring& plans = runtime.channel->plans;
  plans.read.store(plans.read.load(std::memory_order_relaxed) + plan->bytes, std::memory_order_release);
  if (plans.writer_sleeps.load(std::memory_order_seq_cst)) {
    plans.writer_sleeps.store(0, std::memory_order_relaxed);
    plans.space.fetch_add(1, std::memory_order_release);
    futex_wake(&plans.space);
  }
}

// --- writing traces ---

// Room for a message of `bytes`, waiting for the driver to read if need be.
char* trace_room(uint32_t bytes) {
  Ring& ring = runtime.channel->traces;
  uint64_t position = ring.written.load(std::memory_order_relaxed);
  const uint64_t left = ring.capacity - position % ring.capacity;
  const bool wraps = left < bytes;
  const uint64_t end = position + (wraps ? left : 0) + bytes;
  while (end - ring.read.load(std::memory_order_acquire) > ring.capacity) {
    if (ring.reader_sleeps.load(std::memory_order_seq_cst)) ring_bell(ring);
    const uint32_t space = ring.space.load(std::memory_order_acquire);
    ring.writer_sleeps.store(1, std::memory_order_seq_cst);
    if (end - ring.read.load(std::memory_order_seq_cst) > ring.capacity) {
      timespec limit{1, 0};
      futex_wait(&ring.space, space, &limit);
    }
    ring.writer_sleeps.store(0, std::memory_order_relaxed);
    if (runtime.channel->stop.load(std::memory_order_acquire)) sys(SYS_exit_group, 0);
  }
  char* base = channel_bytes(ring.offset);
  if (wraps) {
    *reinterpret_cast<uint32_t*>(base + position % ring.capacity) = kWrap;
    position += left;
    ring.written.store(position, std::memory_order_release);
  }
  return base + position % ring.capacity;
}

void wait_for_big_area() {
  Channel& channel = *runtime.channel;
  while (channel.big_busy.load(std::memory_order_acquire)) {
    if (channel.traces.reader_sleeps.load(std::memory_order_seq_cst)) ring_bell(channel.traces);
    timespec limit{1, 0};
    futex_wait(&channel.big_busy, 1, &limit);
    if (channel.stop.load(std::memory_order_acquire)) sys(SYS_exit_group, 0);
  }
  channel.big_busy.store(1, std::memory_order_relaxed);
}

void publish_trace(uint32_t bytes) {
  Ring& ring = runtime.channel->traces;
  ring.written.store(ring.written.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
  const uint64_t messages = ring.messages.load(std::memory_order_relaxed) + 1;
  ring.messages.store(messages, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (ring.reader_sleeps.load(std::memory_order_relaxed) && messages >= ring.wake_at.load(std::memory_order_relaxed))
    ring_bell(ring);
}

// The search knows objects by the names that overlapping accesses share.
void name_objects(Step* steps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const Operation op = runtime.promoted.canonical(steps[i].operation());
    steps[i].object = op.object;
    steps[i].second = op.second;
  }
}

uint32_t find_pending(Step* pending) {
  Scheduler& s = scheduler();
  uint32_t count = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (!s.thread(t).parked) return;
    Step& p = pending[count++] = next_step(s.thread(t));
    p.thread = t;
    p.enabled = 0;
    p.flags = static_cast<uint8_t>(s.enabled.contains(t) ? p.flags & ~Step::kBlocked : p.flags | Step::kBlocked);
    if (would_write(p)) p.flags |= Step::kWrite;
  });
  return count;
}

TraceHeader describe_trace(uint64_t plan_id, uint32_t pending) {
  const Scheduler& s = scheduler();
  TraceHeader header{};
  header.version = kTraceVersion;
  header.outcome = s.outcome;
  header.detail = s.detail;
  header.plan_id = plan_id;
  header.steps = s.log_size;
  header.pending = pending;
  header.set_words = s.set_words;
  header.stack_words = s.stack_words;
  header.message_bytes = s.message_size;
  header.decisions = s.decisions;
  header.threads = s.created;
  header.diverged_at = s.diverged_at;
  header.culprit = s.culprit;
  header.code = s.code;
  header.fault_address = s.fault_address;
  header.races = runtime.races.count;
  header.block_units = s.in_blocks() ? s.blocks.units : 0;
  header.monitors = monitor_flags();
  header.allocations = told_allocation_count();
  const size_t bytes = sizeof header + sizeof(Step) * (size_t{s.log_size} + pending) +
                       8 * (size_t{s.set_words} + s.stack_words) + s.message_size;
  header.bytes = static_cast<uint32_t>(((bytes + 7) & ~size_t{7}) + sizeof(Touched) * header.block_units +
                                       sizeof(DataRace) * header.races + sizeof(Allocation) * header.allocations);
  return header;
}

void write_trace(uint64_t plan_id) {
  Scheduler& s = scheduler();
  Channel& channel = *runtime.channel;
  Step pending[kMaxThreads];
  const uint32_t pending_count = find_pending(pending);
  TraceHeader header = describe_trace(plan_id, pending_count);
  // What it has in common with the trace before is not told again.
  TraceSuffix suffix{runtime.saving->same_records(), runtime.saving->same_set_words()};
  if (suffix.records) header.wire |= TraceHeader::kSuffix;
  if (runtime.saving->any()) header.wire |= TraceHeader::kKept;
  const uint32_t size = wire_size(header, suffix);
  char* out;
  const bool big = UNLIKELY(size > channel.traces.capacity / 4);
  if (big) {
    if (size > channel.big_capacity) die("a trace is larger than the channel");
    TraceHeader stub = header;
    stub.wire = TraceHeader::kElsewhere;
    copy_bytes(trace_room(sizeof stub), &stub, sizeof stub);
    wait_for_big_area();
    out = channel_bytes(channel.big_offset);
  } else {
    out = trace_room(size);
  }
  const size_t touched = sizeof(Touched) * header.block_units, races = sizeof(DataRace) * header.races;
  const size_t allocations = sizeof(Allocation) * header.allocations;
  if (UNLIKELY(touched | races | allocations)) {
    char* tail = out + size - touched - races - allocations;
    if (touched) copy_bytes(tail, s.blocks.out(), touched);
    copy_bytes(tail + touched, runtime.races.found, races);
    copy_bytes(tail + touched + races, told_allocations(), allocations);
  }
  auto put = [&out](const void* data, size_t bytes) {
    copy_bytes(out, data, bytes);
    out += bytes;
  };
  put(&header, sizeof header);
  if (suffix.records) put(&suffix, sizeof suffix);
  auto* steps = reinterpret_cast<Step*>(out);
  put(s.log + suffix.records, sizeof(Step) * (s.log_size - suffix.records));
  put(pending, sizeof(Step) * pending_count);
  if (UNLIKELY(runtime.promoted.aliased())) name_objects(steps, s.log_size - suffix.records + pending_count);
  if (s.set_words) put(s.sets + suffix.set_words, 8 * size_t{s.set_words - suffix.set_words});
  if (s.stack_words) put(s.stacks, 8 * size_t{s.stack_words});
  if (s.message_size) {
    put(s.message, s.message_size);
    const uint64_t nothing = 0;  // up to the next word
    put(&nothing, -s.message_size & 7);
  }
  publish_trace(big ? static_cast<uint32_t>(sizeof header) : size);
}

// A number for all that a trace says.
uint64_t digest_of_trace() {
  Scheduler& s = scheduler();
  Step pending[kMaxThreads];
  const uint32_t pending_count = find_pending(pending);
  const TraceHeader header = describe_trace(0, pending_count);
  uint64_t hash = 0x9e3779b97f4a7c15ull;
  auto add = [&hash](const void* data, size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    for (size_t i = 0; i < bytes; i += 8) {
      uint64_t word = 0;
      copy_bytes(&word, at + i, bytes - i < 8 ? bytes - i : 8);
      hash = (hash ^ word) * 0x2127599bf4325c37ull;
      hash ^= hash >> 47;
    }
  };
  add(&header, sizeof header);
  add(s.log, sizeof(Step) * s.log_size);
  add(pending, sizeof(Step) * pending_count);
  add(s.sets, 8 * size_t{s.set_words});
  add(s.message, s.message_size);
  add(runtime.races.found, sizeof(DataRace) * header.races);
  add(told_allocations(), sizeof(Allocation) * header.allocations);
  return hash;
}

// --- one execution ---

void write_out(FILE* stream) {
  // What the program printed but did not flush when it failed: part of what it wanted to say.
  if (stream && stream->_IO_write_ptr > stream->_IO_write_base)
    sys(SYS_write, stream->_fileno, word(stream->_IO_write_base), stream->_IO_write_ptr - stream->_IO_write_base);
}

void redirect_output(int to) {
  sys(SYS_dup3, to, 1, 0);
  sys(SYS_dup3, to, 2, 0);
}

int quiet_fd = -1;

void fresh_start() {
  if (runtime.isolation == Isolation::Reset && runtime.snapshot.taken()) {
    runtime.snapshot.restore();
    restore_main_tls(runtime.threads[0]);
    restore_exit_handlers();
    runtime.undo.undo();
    restore_dispositions();
    reset_timers();
    end_children();
  }
  runtime.heap.begin_execution(runtime.isolation == Isolation::Loop);
  reset_keys();
  forget_named_semaphores();
}

// Until the execution is over, or cannot go on in this process; in between threads come back to be saved.
void run_threads(Thread& first) {
  for (Thread* next = &first; next; next = runtime.saving->asked()) {
    runtime.current = next;
    runtime.running = true;
    if (runtime.fibers)
      fiber::switch_to(*runtime.controller, *next);
    else
      os_thread::switch_to(*runtime.controller, *next);
  }
}

bool lacks_something() { return runtime.pool_wanted || runtime.library_wanted.file[0]; }

void execute_from_beginning(const PlanHeader* plan) {
  for (;;) {
    runtime.saving->run_from_beginning();
    fresh_start();
    if (UNLIKELY(runtime.channel->rewinds_input)) sys(SYS_lseek, 0, 0, SEEK_SET);
    runtime.after_step = 0;
    runtime.spurious_left = runtime.channel->spurious;
    runtime.clock.begin();
    // Tracking a few variables is to be cheap; whoever asks for it has looked for races in other executions.
    const bool detects = runtime.detects && plan->tracked == 0;
    runtime.races.begin(detects, runtime.points == Points::All);
    runtime.eraser.begin(runtime.checks_locks && plan->tracked == 0);
    begin_telling();
    runtime.promoted.update(*runtime.channel);
    runtime.trust.update(*runtime.channel);
    update_native_loops(*runtime.channel);
    if (plan->detail || plan->stacks) runtime.calls.begin();
    Scheduler& s = scheduler();
    for (uint32_t i = 0; i < s.created; ++i) s.thread(s.born[i]).life = Life::Unused;
    s.begin(*plan, plan->delta_list(), plan->sleeper_list());
    runtime.saving->started();
    runtime.watches_more = runtime.eraser.on() || s.in_blocks();
    const bool little_matters = runtime.fibers && runtime.isolation == Isolation::Reset && !runtime.channel->debug &&
                                !detects && !runtime.promoted.any() && !runtime.watches_more &&
                                !runtime.trust.any() && !s.detail && !plan->stacks;
    runtime.tracked.begin(plan->tracked_list(), plan->tracked, little_matters && runtime.sites.interested());
    runtime.sites.begin(little_matters && runtime.tracked.on(), plan->tracked_list(), plan->tracked);
    runtime.unusual_calls = s.detail || runtime.trust.any() || runtime.sites.thinned();
    runtime.races.others_watch(s.detail || runtime.watches_more || runtime.promoted.any() || runtime.tracked.on());
    Thread& main = new_main();
    runtime.pool_wanted = 0;
    runtime.library_wanted.file[0] = 0;
    if (plan->detail && runtime.channel->capture_fd) redirect_output(static_cast<int>(runtime.channel->capture_fd));
    run_threads(main);
    if (plan->detail && runtime.channel->capture_fd) {
      write_out(stdout);
      redirect_output(quiet_fd);
    }
    if (!lacks_something()) {
      if (LIKELY(runtime.sites.end(s.outcome))) return;
      continue;
    }
    // More threads than the pool has, or a library more: start over with them.
    if (plan->detail && runtime.channel->capture_fd) {
      sys(SYS_ftruncate, runtime.channel->capture_fd, 0);
      sys(SYS_lseek, runtime.channel->capture_fd, 0, SEEK_SET);
    }
    runtime.saving->run_from_beginning();
    if (runtime.isolation == Isolation::Reset) runtime.snapshot.restore();
    if (runtime.pool_wanted) grow_pool(runtime.pool_wanted + 8);
    if (runtime.library_wanted.file[0]) load_library(runtime.library_wanted);
    if (runtime.isolation == Isolation::Reset) {
      runtime.snapshot.absorb();
      runtime.snapshot.extend();
    }
  }
}

// After these the memory of this process is not to be trusted: the driver starts a fresh one.
bool must_retire() {
  const Outcome o = scheduler().outcome;
  if (runtime.isolation == Isolation::Loop) return o != Outcome::Ok;
  return o == Outcome::Crash || o == Outcome::Uncontrolled ||
         (o == Outcome::Abort && scheduler().code == SIGABRT && scheduler().fault_address);
}

void execute(const PlanHeader* plan) {
  Saving& saving = *runtime.saving;
  const bool resumes = saving.begin(*plan, plan_after);
  if (resumes) run_threads(saving.resume());
  if (!resumes || lacks_something()) {
    execute_from_beginning(plan);
  } else if (saving.check_due() && !must_retire()) {
    const uint64_t from_checkpoint = digest_of_trace();
    execute_from_beginning(plan);
    if (digest_of_trace() != from_checkpoint) {
      runtime.channel->remarks.fetch_or(kCheckpointsDiffer, std::memory_order_relaxed);
      saving.turn_off();
    }
  }
  saving.end();
}

// A program that depends on something outside may follow its plan the next time (CHESS, section 4.2).
constexpr int kAttempts = 3;
void execute_as_planned(const PlanHeader* plan) {
  for (int attempt = 1;; ++attempt) {
    // Again from the beginning: a checkpoint of an attempt that nobody was told of is none to tell a trace by.
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
    if (scheduler().outcome != Outcome::Ok) return;  // the search will come across it
  }
}

void run_in_child(const PlanHeader* plan) {
  constexpr int kTryAgain = 97;  // instead of a trace
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
  Scheduler& s = scheduler();
  PlanHeader empty = *plan;
  empty.policy = Policy::Default;
  s.begin(empty, nullptr, nullptr);
  runtime.races.begin(false, false);
  runtime.eraser.begin(false);
  begin_telling();
  s.outcome = Outcome::WorkerDied;
  s.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  write_trace(plan->id);
}

}  // namespace

void refuse(const char* why) {
  if (Channel* channel = runtime.channel) {
    size_t n = length(why);
    if (n > sizeof channel->text) n = sizeof channel->text;
    copy_bytes(channel->text, why, n);
    channel->text_bytes.store(static_cast<uint32_t>(n), std::memory_order_release);
    channel->state.store(WorkerState::Refused, std::memory_order_release);
    ring_bell(channel->traces);
  }
  sys(SYS_exit_group, 98);
  __builtin_unreachable();
}

void serve_plans() {
  Channel& channel = *runtime.channel;
  quiet_fd = static_cast<int>(sys(SYS_openat, AT_FDCWD, word("/dev/null"), O_RDWR | O_CLOEXEC));
  if (quiet_fd >= 0) {
    const long high = sys(SYS_fcntl, quiet_fd, F_DUPFD_CLOEXEC, 900);
    if (high >= 0) {
      sys(SYS_close, quiet_fd);
      quiet_fd = static_cast<int>(high);
    }
    if (!channel.debug) redirect_output(quiet_fd);
  }
  runtime.undo.remember();
  sys(SYS_sched_getaffinity, 0, sizeof runtime.cpus, word(&runtime.cpus));
  // Without a fresh start an execution cannot be tried again with more threads.
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
    void* p = mmap(reinterpret_cast<void*>(next_shared_address(static_cast<size_t>(info.st_size))), static_cast<size_t>(info.st_size),
                   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    sys(SYS_close, fd);
    return p == MAP_FAILED ? nullptr : p;
  };
  runtime.channel = static_cast<Channel*>(map(channel_fd));
  runtime.thread_table = static_cast<ThreadTable*>(map(table_fd));
  return runtime.channel && runtime.thread_table && runtime.channel->magic == kChannelMagic &&
         runtime.channel->version == kChannelVersion;
}

}  // namespace lockstep::rt
