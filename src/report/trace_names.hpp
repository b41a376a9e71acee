// Distinct, readable names for the threads and objects of one trace.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/finding.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "report/variable_name.hpp"

namespace lockstep {

// A thread is named after the function it runs if that is descriptive ("producer", "worker 2"), otherwise "thread 1".
// Objects without a name in the program (heap, stack) are numbered by what they are used as ("mutex 1").
class TraceNames {
 public:
  // `seen`: names and types from a replay with an inspector; null or empty: only symbols are used.
  TraceNames(TraceView trace, Symbols& symbols, const Observations* seen = nullptr);

  std::string thread(ThreadId t) const;
  // The name at `step`, because reused stack memory has another name later.
  std::string object(ObjectId object, uint32_t step = kNoStep) const;
  // Whether it has a name in the source, not only a number.
  bool has_name(ObjectId object, uint32_t step) const;
  // What the step read or wrote, as a value of its object's type; nullopt: not known.
  std::optional<std::string> value_before(uint32_t step) const { return value(step, StepValues::kBefore); }
  std::optional<std::string> value_after(uint32_t step) const { return value(step, StepValues::kAfter); }
  std::string value_text(ObjectId object, uint32_t step, uint64_t bits) const;

  // Stacks of the trace: by step, by pending operation, and of the failure. Empty if none was recorded.
  std::span<const uint64_t> stack_of_step(size_t step) const { return stack(step); }
  std::span<const uint64_t> stack_of_pending(size_t pending) const { return stack(trace_.steps().size() + pending); }
  std::span<const uint64_t> stack_of_pending(ThreadId t) const;
  std::span<const uint64_t> stack_of_failure() const { return stack(trace_.steps().size() + trace_.pending().size()); }
  std::span<const uint64_t> stack_of_race(const RaceAccess& access) const {
    return access.stack ? stack(access.stack - 1) : std::span<const uint64_t>{};
  }

  std::span<const uint64_t> stack_of_allocation(const Allocation& a) const {
    if (a.stack) return stack(a.stack - 1);
    return a.pc ? std::span<const uint64_t>{&a.pc, 1} : std::span<const uint64_t>{};
  }

  // Numbered objects and their places: {"mutex 1", "heap object allocated at bank.cpp:31+8"}.
  const std::vector<std::pair<std::string, std::string>>& legend() const { return legend_; }

  TraceView trace() const { return trace_; }
  Symbols& symbols() const { return symbols_; }

 private:
  std::span<const uint64_t> stack(size_t index) const {
    return index < stacks_.size() ? stacks_[index] : std::span<const uint64_t>{};
  }
  std::optional<std::string> value(uint32_t step, StepValues::Known which) const;
  const ObservedObject* seen(ObjectId object, uint32_t step) const;
  std::string name_of_block(uint64_t begin, uint32_t step) const;
  void number_equal_names();
  void name_threads();
  void name_objects();
  void add_object(ObjectId object, const char* noun);

  TraceView trace_;
  Symbols& symbols_;
  const Observations* seen_;
  std::map<std::string, std::vector<uint64_t>> same_name_;  // of `seen`: where the objects begin that share a name
  std::vector<std::span<const uint64_t>> stacks_;
  VariableNames variables_;
  std::map<ThreadId, std::string> threads_;
  std::map<ObjectId, std::string> objects_;
  std::map<std::string, int> numbered_;
  std::vector<std::pair<std::string, std::string>> legend_;
};

}  // namespace lockstep
