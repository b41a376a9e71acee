// The list of modules, and the settings of an execution.
#include "runtime/serve/modules.hpp"

#include <new>

#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/locked_instructions.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/promoted_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/detect/tracked_memory.hpp"
#include "runtime/intercept/condvar.hpp"
#include "runtime/intercept/ids.hpp"
#include "runtime/intercept/library.hpp"
#include "runtime/intercept/memory.hpp"
#include "runtime/intercept/mutex.hpp"
#include "runtime/intercept/named_semaphores.hpp"
#include "runtime/intercept/openmp.hpp"
#include "runtime/intercept/outside_events.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/dispositions.hpp"
#include "runtime/process/imports.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/process/preemptible_code.hpp"
#include "runtime/process/trusted_code.hpp"
#include "runtime/sched/cycle_counter.hpp"
#include "runtime/sched/inspection.hpp"
#include "runtime/sched/native_loops.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/state_call.hpp"
#include "runtime/sched/trusted_sections.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/serve/checkpoint_policy.hpp"
#include "runtime/sync/would_write.hpp"
#include "runtime/threads/interrupt.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/threads/timers.hpp"
#include "runtime/tsan_abi/accesses.hpp"
#include "runtime/tsan_abi/weak_orders.hpp"

namespace lockstep::rt {
namespace {

const Module trusted_code_module = {
    .name = "trusted code, and code in which threads are preempted",
    .update =
        [] {
          const Channel& channel = *runtime.channel;
          const uint32_t version = channel.trusted_version.load(std::memory_order_acquire);
          trusted_code.update(version, channel.trusted, channel.trusted_count);
          preemptible_code.update(version, channel.preemptible, channel.preemptible_count);
        },
};
const Module promoted_module = {
    .name = "racy accesses that are scheduling points",
    .update = [] { promoted.update(*runtime.channel); },
};
const Module call_tree_module = {
    .name = "call stacks",
    .before_execution =
        [] {
          if (settings.keeps_origins) call_tree.begin();
        },
};
// After the modules that decide whether accesses matter.
const Module tracked_module = {
    .name = "tracked variables",
    .before_execution =
        [] {
          const PlanHeader& plan = *settings.plan;
          tracked.begin(plan.tracked_list(), plan.tracked, settings.only_tracks && call_sites.interested());
          call_sites.begin(settings.only_tracks && tracked.on(), plan.tracked_list(), plan.tracked);
          race_detector.others_watch(scheduler().detail || settings.watches_more || promoted.any() || tracked.on() ||
                                     locked_instructions.any());
        },
};

// Memory first, then its monitors, then the scheduler, which knows whether there are any.
const Module* const kModules[] = {
    &threads_module,
    &keys_module,
    &exit_module,
    &tls_module,
    &heap_module,
    &named_semaphores_module,
    &condition_module,
    &mutex_module,
    &memory_module,
    &virtual_clock_module,
    &undo_module,
    &dispositions_module,
    &timers_module,
    &processes_module,
    &state_module,
    &race_detector_module,
    &eraser_module,
    &imports_module,
    &libraries_module,
    &cycle_counter_module,
    &library_module,
    &findings_module,
    &promoted_module,
    &trusted_code_module,
    &native_loops_module,
    &trusted_sections_module,
    &plain_functions_module,
    &locked_instructions_module,
    &inspection_module,
    &call_tree_module,
    &scheduler_module,
    &checkpoint_module,
    &tracked_module,
    &weak_orders_module,
    &access_module,
    &priority_module,
    &openmp_module,
};

inline void call_all(void (*Module::*function)()) {
  for (const Module* module : kModules)
    if (module->*function) (module->*function)();
}

// The non-null functions of one phase, for phases of every execution.
struct Calls {
  void (*call[std::size(kModules)])();
  unsigned count;
  void fill(void (*Module::*function)()) {
    for (const Module* module : kModules)
      if (module->*function) call[count++] = module->*function;
  }
  void operator()() const {
    for (unsigned i = 0; i < count; ++i) call[i]();
  }
};
constinit struct { Calls update, before_execution, after_execution; } calls{};

Settings derive_settings(const PlanHeader& plan) {
  const Channel& channel = *runtime.channel;
  Settings s{};
  s.plan = &plan;
  s.checks_locks = channel.check_locks && runtime.instrumented;
  const bool checks_races = runtime.instrumented && (channel.detect_races || s.checks_locks);
  // Tracking a few variables must be cheap, unless the other variables are needed too.
  s.detects_races = checks_races && (plan.tracked == 0 || plan.survey || plan.detail);
  s.skips_races = checks_races && !s.detects_races;
  s.keeps_origins = plan.detail || plan.stacks || plan.origins;
  s.keeps_blocks = checks_races || channel.find_leaks || s.keeps_origins;
  s.watches_more = (s.checks_locks && plan.tracked == 0) || plan.policy == Policy::Blocks || plan.survey;
  const bool follows_code = trusted_code.any() || preemptible_code.any();
  s.only_tracks = runtime.fibers && runtime.isolation == Isolation::Reset && !channel.debug && !s.detects_races &&
                  !promoted.any() && !s.watches_more && !follows_code && !s.keeps_origins;
  s.captures_output = (plan.detail && channel.capture_fd) || channel.compares_output;
  return s;
}

}  // namespace

void start_modules() {
  new (&scheduler_storage.object) Scheduler;
  scheduler().connect({.would_write = would_write,
                       .take_signal = take_signal,
                       .deliver_interrupts = deliver_interrupts,
                       .outside_event_came = outside_event_came,
                       .save_checkpoint = [] { checkpoint_policy().reached(); },
                       .write_findings = write_findings,
                       .allocations = written_allocations});
  calls.update.fill(&Module::update);
  calls.before_execution.fill(&Module::before_execution);
  calls.after_execution.fill(&Module::after_execution);
  call_all(&Module::start);
}
void take_initial_state() { call_all(&Module::at_snapshot); }

void restore_initial_state() {
  snapshot.restore();
  call_all(&Module::restore);
}

void prepare(const PlanHeader& plan) {
  calls.update();
  settings = derive_settings(plan);
  missing.clear();
  calls.before_execution();
}

void after_execution() { calls.after_execution(); }
void leave_for_checkpoint() { call_all(&Module::leave_for_checkpoint); }
void arrive_at_checkpoint() { call_all(&Module::at_checkpoint); }

}  // namespace lockstep::rt
