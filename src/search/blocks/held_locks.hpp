// The locks that each thread holds at a step of a trace. A running once-routine counts as a lock, because other threads
// wait for its end. Locks that main took before the second thread was created are not in the trace.
#pragma once
#include <algorithm>
#include <vector>

#include "model/blocks.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

struct HeldLock {
  ObjectId lock;
  bool exclusive;  // false: held for reading
  bool operator==(const HeldLock&) const = default;
};

class HeldLocks {
 public:
  const std::vector<HeldLock>& of(ThreadId t) {
    if (index_of(t) >= held_.size()) held_.resize(index_of(t) + 1);
    return held_[index_of(t)];
  }
  void hold(ThreadId t, HeldLock lock) {
    of(t);
    held_[index_of(t)].push_back(lock);
  }
  void apply(const Step& step) {
    if (!step.is_note() && acquires(step.kind, step.flags)) {
      hold(step.thread, {step.object, is_exclusive(step.kind)});
    } else if (const ObjectId lock = released(step); lock != kNoObject) {
      of(step.thread);
      std::vector<HeldLock>& mine = held_[index_of(step.thread)];
      const auto last = std::find_if(mine.rbegin(), mine.rend(), [lock](const HeldLock& h) { return h.lock == lock; });
      if (last != mine.rend()) mine.erase(std::next(last).base());
    }
  }

  void save(StateWriter& out) const {
    out.put<uint64_t>(held_.size());
    for (const auto& locks : held_) out.put_all(locks);
  }
  void load(StateReader& in) {
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) held_.push_back(in.get_all<HeldLock>());
  }

  static bool is_exclusive(OpKind k) { return !has(k, OpTraits::kShared); }
  static ObjectId released(const Step& step) {
    return !step.is_note() && has(step.kind, OpTraits::kGives) ? held_object(step) : kNoObject;
  }

 private:
  std::vector<std::vector<HeldLock>> held_;  // by thread
};

}  // namespace lockstep
