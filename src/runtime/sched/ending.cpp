// The end of an execution, and the stacks that a detailed one keeps.
#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/trace_limits.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/debug_stops.hpp"
#include "runtime/sched/inspection.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

void Scheduler::end(Outcome how, int exit_code, const char* text) {
  outcome = how;
  code = exit_code;
  culprit = runtime.current->id;
  if (text) {
    message_size = static_cast<uint32_t>(length(text));
    if (message_size > sizeof message) message_size = sizeof message;
    copy_bytes(message, text, message_size);
  }
  Thread& me = *runtime.current;
  const bool fails = how != Outcome::Ok && how != Outcome::Deadlock && how < Outcome::StepLimit;
  if (UNLIKELY(fails) && (me.resumer || created_since_decision())) notice(FactKind::FailedAtStart);
  if (UNLIKELY(how == Outcome::Uncontrolled && text && !detail)) {
    // This plan will not be run again: record the stack now, and only the stack.
    log_size = set_words = stack_words = first_kept = 0;
    live.clear(words_);
    detail = true;
  }
  if (first_kept > 0) {  // the trace has no steps
    count_records();
    set_words = stack_words = 0;
  }
  if (in_blocks()) observe_block();
  if (records_memory()) blocks.ended();
  race_detector.end();
  client_.write_findings(how == Outcome::Ok);
  record_failure();
  if (UNLIKELY(detail)) stop_for_driver(Inspection::End, log_size, kNoObject);
  if (detail) {
    static const uint64_t none[1] = {0};
    live.for_each(words_, [&](ThreadId t) {
      if (thread(t).parked) add_stack(thread(t).arrival && first_kept == 0 ? thread(t).arrival : none);
    });
    add_stack(failure_stack_);
    add_race_stacks();
  }
  if (UNLIKELY(runtime.channel->debug) && how != Outcome::Ok) debug_failure();
  runtime.running = false;
  runtime.current = runtime.controller;
  if (runtime.fibers)
    fiber::switch_to(me, *runtime.controller);
  else
    os_thread::switch_to(me, *runtime.controller);
  die("an ended execution was resumed");
}

// True if threads were created since the last decision: no decision could have chosen them so far.
bool Scheduler::created_since_decision() const {
  for (uint32_t i = log_size; i-- > first_kept && log[i].is_note();)
    if (log[i].kind == OpKind::Create) return true;
  return false;
}

void Scheduler::end_waiting_for_itself(const void* lock, const char* text) {
  Thread& me = *runtime.current;
  me.pending = Step{};
  me.pending.object = ObjectId(reinterpret_cast<uint64_t>(lock));
  me.pending.thread = me.id;
  me.pending.kind = OpKind::Lock;
  me.parked = true;
  enable(me, false);
  if (detail) capture_arrival(me, true);
  end(Outcome::Deadlock, 0, text);
}

void Scheduler::record_failure() {
  if (!detail || failure_recorded) return;
  failure_recorded = true;
  settle_write(*runtime.current);
  failure_stack_[0] = 0;  // used if the stack is overwritten
  failure_stack_[0] = backtrace(failure_stack_ + 1, kDeepest);
  stop_for_driver(Inspection::Failure, log_size, kNoObject);
}

// Adds two stacks per race and one per heap block, and sets the index of the stack in each of them.
void Scheduler::add_race_stacks() {
  uint32_t index = (first_kept == 0 ? log_size : 0) + 1;
  live.for_each(words_, [&](ThreadId t) { index += thread(t).parked; });
  uint64_t block[1 + kDeepest];
  auto add = [&](uint64_t& pc, uint32_t& stack) {
    block[0] = 0;
    for (const CallNode* n = call_tree.node(pc); n && block[0] < kDeepest; n = n->caller) block[++block[0]] = n->pc;
    pc = call_tree.pc(pc);
    add_stack(block);
    stack = ++index;
  };
  for (unsigned i = 0; i < race_detector.count; ++i)
    for (RaceAccess* access : {&race_detector.found[i].first, &race_detector.found[i].second})
      add(access->pc, access->stack);
  uint32_t blocks_told;
  Allocation* allocations = client_.allocations(&blocks_told);
  for (uint32_t i = 0; i < blocks_told; ++i) add(allocations[i].pc, allocations[i].stack);
}

void Scheduler::capture_arrival(Thread& me, bool described) {
  if (!me.arrival) me.arrival = static_cast<uint64_t*>(map_pages(8 * (1 + kDeepest)));
  me.arrival[0] = described ? backtrace(me.arrival + 1, kDeepest) : 0;
  settle_write(me);
}

// Marks an operation before which the thread has used shared memory, or may have, if its accesses are not seen.
void Scheduler::mark_reads(Thread& me) {
  Step& op = me.pending;
  const bool seen = race_detector.active() && runtime.points != Points::Sync;
  if ((op.kind == OpKind::Lock || op.kind == OpKind::Unlock || op.kind == OpKind::CondWait) && (me.looked || !seen))
    op.set_read_before();
  me.looked = false;
}

void Scheduler::add_stack(const uint64_t* block) {
  // Without room for all stacks, the later ones are empty.
  const uint64_t frames = stack_words + 2 + kDeepest < kStackWords ? block[0] : 0;
  if (stack_words + 1 >= kStackWords) return;
  stacks[stack_words++] = frames;
  copy_bytes(stacks + stack_words, block + 1, 8 * frames);
  stack_words += static_cast<uint32_t>(frames);
}

void refuse_call(const char* call, const char* why) {
  char text[256];
  format(text, sizeof text, "the program calls %s, which cannot be controlled: %s", call, why);
  scheduler().end(Outcome::Uncontrolled, 0, text);
}

}  // namespace lockstep::rt
