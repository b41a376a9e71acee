// Ranks `method` and `var`: what the user points at goes first. 0 if both the operation that is preempted and the one
// that comes instead are in focus, 1 if one of them is, 2 if none.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "search/ranks/rank.hpp"

namespace lockstep {

using FunctionFocus = std::function<bool(std::span<const uint64_t> stack)>;
using VariableFocus = std::function<bool(ObjectId object)>;

// How many of the two operations of a switch are not in focus.
template <class InFocus>
uint64_t out_of_focus(const Outlook& outlook, const Alternative& a, InFocus&& in_focus) {
  if (!chooses_thread(outlook, a)) return 2;
  uint64_t count = 0;
  for (const ThreadId t : {outlook.running(a.step), ThreadId{a.value}}) {
    const uint32_t next = t == kNoThread ? Outlook::kNone : outlook.next_of(t, a.step);
    count += next == Outlook::kNone || !in_focus(next);
  }
  return count;
}

class MethodRank final : public Rank {
 public:
  explicit MethodRank(FunctionFocus focus) : focus_(std::move(focus)) {}
  bool needs_stacks() const override { return true; }
  uint64_t of(const Outlook& outlook, const Alternative& a) override {
    return out_of_focus(outlook, a, [&](uint32_t number) { return focus_ && focus_(outlook.stack(number)); });
  }

 private:
  FunctionFocus focus_;
};

class VariableRank final : public Rank {
 public:
  explicit VariableRank(VariableFocus focus) : focus_(std::move(focus)) {}
  uint64_t of(const Outlook& outlook, const Alternative& a) override {
    return out_of_focus(outlook, a, [&](uint32_t number) { return in_focus(outlook.operation(number).object); });
  }

 private:
  bool in_focus(ObjectId object) {
    const auto [place, fresh] = known_.try_emplace(object, false);
    if (fresh && focus_) place->second = focus_(object);
    return place->second;
  }
  VariableFocus focus_;
  std::unordered_map<ObjectId, bool> known_;  // naming an object is slow
};

}  // namespace lockstep
