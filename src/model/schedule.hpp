// Reads a trace as a schedule: which thread ran, what was a preemption, what the default schedule would have chosen.
#pragma once
#include <optional>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

// The cost of choosing `next`. A switch is a preemption if the last thread is enabled (not only by a timeout) and its
// last operation was not a yield. A timeout that fires while another thread could run costs one.
inline uint32_t cost_of_switch(const ThreadSetView& enabled, const ThreadSetView& timed, ThreadId running, bool yielded,
                               ThreadId next) {
  if (timed.contains(next)) return timed.size() == enabled.size() ? 0 : 1;
  if (running == kNoThread || next == running || yielded) return 0;
  return enabled.contains(running) && !timed.contains(running) ? 1 : 0;
}

// Walks a trace step by step and computes, at each decision, the cost of the alternatives. The first step is free; data
// choices are free.
class ScheduleCursor {
 public:
  explicit ScheduleCursor(TraceView trace) : trace_(trace), steps_(trace.steps()) {}
  // Starts at record `index` with `preemptions` known to lie before it: a search that changed only the end of an
  // execution need not read its beginning again.
  ScheduleCursor(TraceView trace, uint32_t index, uint32_t preemptions);
  // The same, if the thread that ran before is known.
  ScheduleCursor(TraceView trace, uint32_t index, uint32_t preemptions, ThreadId running, bool yielded)
      : trace_(trace),
        steps_(trace.steps()),
        index_(index),
        preemptions_(preemptions),
        running_(running),
        yielded_(yielded) {}
  bool done() const { return index_ == steps_.size(); }
  uint32_t index() const { return index_; }
  const Step& step() const { return steps_[index_]; }
  uint32_t preemptions() const { return preemptions_; }  // before this step
  ThreadId running() const { return running_; }          // the thread that ran last; kNoThread at the start
  bool yielded() const { return yielded_; }              // its last step was a yield, which lets others go first
  ThreadSetView enabled() const { return trace_.enabled(step()); }
  ThreadSetView timed() const { return trace_.timed(step()); }

  // The cost of choosing `next` at this step: 0 or 1.
  uint32_t cost(ThreadId next) const {
    const Step& now = step();
    if (now.flags & (Step::kWide | Step::kNote) || now.is_choice()) return unusual_cost(next);
    // Branch-free, because switches are unpredictable. kNoThread is above 63 too.
    const unsigned running = index_of(running_);
    return static_cast<uint32_t>(now.enabled >> (running & 63)) & uint32_t{running < 64} & uint32_t{next != running_} &
           uint32_t{!yielded_};
  }
  uint16_t taken() const {  // the decision of this step, as a Delta's value
    return step().is_choice() ? step().taken() : static_cast<uint16_t>(step().thread);
  }
  uint16_t default_value() const {  // what the default schedule takes here
    const Step& now = step();
    if (now.flags & (Step::kWide | Step::kNote) || now.is_choice() || yielded_ || now.enabled == 0)
      return unusual_default();
    const unsigned running = index_of(running_);
    const bool goes_on = running < 64 && (now.enabled >> running & 1);
    return static_cast<uint16_t>(goes_on ? running : static_cast<unsigned>(__builtin_ctzll(now.enabled)));
  }

  void advance() {
    const Step& now = step();
    if (!now.is_note() && !now.is_choice()) {
      preemptions_ += cost(now.thread);
      running_ = now.thread;
      yielded_ = now.flags & Step::kYield;
    }
    ++index_;
  }

 private:
  uint32_t unusual_cost(ThreadId next) const;  // wide sets, notes and data choices
  uint16_t unusual_default() const;

  TraceView trace_;
  std::span<const Step> steps_;
  uint32_t index_ = 0, preemptions_ = 0;
  ThreadId running_ = kNoThread;
  bool yielded_ = false;
};

// The thread the default schedule takes. `running` is kNoThread at the start of an execution.
ThreadId default_thread(const ThreadSetView& enabled, const ThreadSetView& timed, ThreadId running, bool yielded,
                        Policy policy = Policy::Default);

uint32_t count_preemptions(TraceView trace);

// The plan that repeats this trace: its deviations from the default schedule.
Plan plan_of(TraceView trace);

// First step at which two traces differ in thread, operation or choice; nullopt if one is a prefix of the other.
std::optional<uint32_t> first_difference(TraceView a, TraceView b);

}  // namespace lockstep
