// An execution as ranks see it: for every step, the thread that ran before and the next operation of each thread.
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
  // Number of records in common with the previous trace.
  uint32_t same() const { return same_; }
  std::span<const Delta> deltas() const { return deltas_; }  // the deviations that led to this execution
  // Thread of the previous decision; kNoThread at the start.
  ThreadId running(uint32_t step) const { return running_[step]; }

  // The next operation of thread t at `step`: the number of its next record, or, after all records, of its pending
  // operation; kNone if there is none.
  uint32_t next_of(ThreadId t, uint32_t step) const;
  std::span<const uint32_t> operations_of(ThreadId t) const {  // numbers of its operations, ascending
    return index_of(t) < operations_.size() ? std::span<const uint32_t>(operations_[index_of(t)])
                                            : std::span<const uint32_t>{};
  }
  const Step& operation(uint32_t number) const {
    return trace_.steps().data()[number];
  }                                                         // pending operations have the numbers after the steps
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
