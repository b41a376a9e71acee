// Ranks `method` and `var`: the code or data in focus goes first. 0 if both the preempted operation and the one that
// runs instead are in focus, 1 if one of them is, 2 if none is.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "model/variable.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

using FunctionFocus = std::function<bool(std::span<const uint64_t> stack)>;
struct VariableFocus {
  // Is `object` of this trace in focus? `stacks` are the trace's stacks.
  std::function<bool(TraceView trace, std::span<const std::span<const uint64_t>> stacks, ObjectId object)> contains{};
  bool on_heap = false;  // names may depend on where blocks were allocated: executions have to record it
};

// The number of operations of a switch, out of two, that are not in focus.
template <class InFocus>
uint64_t out_of_focus(const ExecutionView& execution, const Alternative& a, InFocus&& in_focus) {
  if (!chooses_thread(execution, a)) return 2;
  uint64_t count = 0;
  for (const ThreadId t : {execution.running(a.step), ThreadId{a.value}}) {
    const uint32_t next = t == kNoThread ? ExecutionView::kNone : execution.next_of(t, a.step);
    count += next == ExecutionView::kNone || !in_focus(next);
  }
  return count;
}

class MethodRank final : public Rank {
 public:
  explicit MethodRank(FunctionFocus focus) : focus_(std::move(focus)) {}
  bool needs_stacks() const override { return true; }
  uint64_t of(const ExecutionView& execution, const Alternative& a) override {
    return out_of_focus(execution, a, [&](uint32_t number) { return focus_ && focus_(execution.stack(number)); });
  }

 private:
  FunctionFocus focus_;
};

class VariableRank final : public Rank {
 public:
  explicit VariableRank(VariableFocus focus) : focus_(std::move(focus)) {}
  bool needs_stacks() const override { return focus_.on_heap; }
  void look(const ExecutionView& execution) override {
    if (focus_.on_heap) blocks_ = HeapBlocks(execution.trace());
  }
  uint64_t of(const ExecutionView& execution, const Alternative& a) override {
    return out_of_focus(execution, a,
                        [&](uint32_t number) { return in_focus(execution, execution.operation(number).object); });
  }

 private:
  bool in_focus(const ExecutionView& execution, ObjectId object) {
    const auto [place, fresh] = known_.try_emplace(blocks_.variable(static_cast<uint64_t>(object)), false);
    if (fresh && focus_.contains) place->second = focus_.contains(execution.trace(), execution.stacks(), object);
    return place->second;
  }
  VariableFocus focus_;
  HeapBlocks blocks_;
  std::map<VariableId, bool> known_;  // naming a variable is slow
};

}  // namespace lockstep
