// What ranks see of an execution: at every step, who had been running and what each thread was about to do.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

class ExecutionView {
 public:
  static constexpr uint32_t kNone = 0xffff'ffff;

  void look(TraceView trace, std::span<const Delta> deltas);

  TraceView trace() const { return trace_; }
  uint32_t same() const { return same_; }                           // records in common with the trace looked at before
  std::span<const Delta> deltas() const { return deltas_; }         // what made this execution
  ThreadId running(uint32_t step) const { return running_[step]; }  // who took the decision before; kNoThread at first

  // What thread t does next at `step`: the number of its next record, or, behind all records, that of its pending
  // operation; kNone if it does nothing more.
  uint32_t next_of(ThreadId t, uint32_t step) const;
  std::span<const uint32_t> operations_of(ThreadId t) const {  // their numbers, ascending
    return index_of(t) < operations_.size() ? std::span<const uint32_t>(operations_[index_of(t)])
                                            : std::span<const uint32_t>{};
  }
  const Step& operation(uint32_t number) const {
    return trace_.steps().data()[number];
  }                                                         // pending ones follow the steps
  std::span<const uint64_t> stack(uint32_t number) const {  // empty if none were recorded
    return number < stacks_.size() ? stacks_[number] : std::span<const uint64_t>{};
  }
  std::span<const std::span<const uint64_t>> stacks() const { return stacks_; }

 private:
  TraceView trace_{nullptr};
  std::span<const Delta> deltas_;
  Predecessor before_this_;
  uint32_t same_ = 0;
  std::vector<ThreadId> running_;
  std::vector<std::vector<uint32_t>> operations_;  // per thread, numbers ascending
  std::vector<std::span<const uint64_t>> stacks_;
};

}  // namespace lockstep
