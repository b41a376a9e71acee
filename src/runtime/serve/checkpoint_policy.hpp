// When to make checkpoints and when to start from one. Plans come one after the other and mostly begin alike; what a
// checkpoint costs is measured against what it saves. None of this shows in a trace: an execution that starts from a
// checkpoint is the one that starts from the beginning, only sooner.
#pragma once
#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/serve/checkpoint_cost.hpp"
#include "runtime/serve/checkpoints.hpp"

namespace lockstep::rt {

class CheckpointPolicy {  // lies in unsaved pages
 public:
  static CheckpointPolicy* create(CheckpointUse use);

  // Before an execution: which checkpoint to start from, plus one; 0: from the beginning. `after` gives the plan after
  // this one if it is known.
  unsigned begin(const PlanHeader& plan, const PlanHeader* (*after)(const PlanHeader*));
  Thread& resume() { return resume_checkpoint(); }
  void run_from_beginning();  // forgets all checkpoints, which the fresh start would write to
  void started();             // once the scheduler has begun
  void end();

  // From a thread that is about to decide: makes a checkpoint if it is worth it. Returns now, and again for every
  // execution that starts from there.
  void reached();
  // From the controller, when a thread came back to it: saves the state if the thread came for that (reached()), and
  // returns the thread, which is to go on; otherwise nullptr.
  Thread* save_if_requested();

  // How much of the trace is that of the execution before: records, and words of the sets.
  uint32_t same_records() const { return from_ ? points_.records(from_ - 1) : 0; }
  uint32_t same_set_words() const { return from_ ? points_.set_words(from_ - 1) : 0; }
  bool any() const { return points_.count() != 0; }  // a trace to come may be sent as a suffix to this one
  // Is it time to run this one again from the beginning and compare?
  bool check_due();
  void turn_off();

  bool handle_write_fault(uintptr_t address) { return points_.handle_write_fault(address); }

 private:
  Thread& resume_checkpoint();
  void aim(uint32_t position);
  void count_unused(unsigned from);

  Checkpoints points_;
  CheckpointUse use_;
  uint32_t settings_;  // that the checkpoints were made with
  const PlanHeader* plan_;
  unsigned from_;            // checkpoint that this execution began at, plus one
  uint32_t records_before_;  // of the execution before
  uint32_t target_;          // where the executions to come are likely to differ from this one
  bool resumable_;           // executions like this one can start from a checkpoint
  Thread* requester_;
  uint64_t since_;  // cycles at the beginning, or at the last checkpoint
  uint64_t began_;  // this execution, 0 if nobody measures it
  unsigned unmeasured_;
  CheckpointCost cost_;
  bool used_[OwnState::kLevels];
  unsigned faults_;
  uint64_t resumed_, next_check_;
};

inline constinit CheckpointPolicy* the_checkpoint_policy = nullptr;
inline CheckpointPolicy& checkpoint_policy() { return *the_checkpoint_policy; }
extern const Module checkpoint_module;

}  // namespace lockstep::rt
