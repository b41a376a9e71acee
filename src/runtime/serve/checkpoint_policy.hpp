// Decides when to make checkpoints and when to start from one. Successive plans mostly begin alike; the cost of a
// checkpoint is compared with the time it saves. Traces do not depend on this: an execution that starts from a
// checkpoint equals the one from the beginning.
#pragma once
#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/serve/checkpoint_cost.hpp"
#include "runtime/serve/checkpoints.hpp"

namespace lockstep::rt {

class CheckpointPolicy {  // in unsaved pages
 public:
  static CheckpointPolicy* create(CheckpointUse use);

  // Called before an execution: returns the checkpoint to start from, plus one; 0: from the beginning. `after` returns
  // the plan after this one if it is known.
  unsigned begin(const PlanHeader& plan, const PlanHeader* (*after)(const PlanHeader*));
  Thread& resume() { return resume_checkpoint(); }
  void run_from_beginning();  // drops all checkpoints, because the fresh start overwrites their memory
  void started();             // called once the scheduler has begun
  void end();

  // Called by a thread that is about to decide: makes a checkpoint if that is worthwhile. Returns now, and again for
  // every execution that starts from the checkpoint.
  void reached();
  // Called by the controller when a thread has returned to it. If the thread wants the state saved (reached()), saves
  // it and returns the thread, which must continue; otherwise returns nullptr.
  Thread* save_if_requested();

  // The part of the trace that equals the previous execution's: records, and words of the sets.
  uint32_t same_records() const { return from_ ? points_.records(from_ - 1) : 0; }
  uint32_t same_set_words() const { return from_ ? points_.set_words(from_ - 1) : 0; }
  bool any() const { return points_.count() != 0; }  // a later trace may be sent as a suffix to this one
  // Is it time to run this plan again from the beginning and compare?
  bool check_due();
  void turn_off();

  bool handle_write_fault(uintptr_t address) { return points_.handle_write_fault(address); }

 private:
  Thread& resume_checkpoint();
  void aim(uint32_t position);
  void count_unused(unsigned from);

  Checkpoints points_;
  CheckpointUse use_;
  uint32_t settings_;  // settings of the existing checkpoints
  const PlanHeader* plan_;
  unsigned from_;            // checkpoint that this execution started from, plus one
  uint32_t records_before_;  // number of records of the previous execution
  uint32_t target_;          // record at which the next executions will probably differ
  bool resumable_;           // executions like this one can start from a checkpoint
  Thread* requester_;
  uint64_t since_;  // cycle counter at the beginning, or at the last checkpoint
  uint64_t began_;  // cycle counter at the start of this execution; 0: not measured
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
