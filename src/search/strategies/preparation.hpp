// The first executions of strategies that choose among shared variables: a few orders of atomic blocks. They differ
// more from each other than schedules with few preemptions, and so show most of what is shared.
#pragma once
#include <optional>

#include "search/blocks/block_search.hpp"

namespace lockstep {

class Preparation {
 public:
  Preparation(uint32_t max_steps, uint64_t most)
      : search_({.max_steps = max_steps, .conflicts = true, .locks_write = true}), most_(most) {}

  // One plan at a time; nullopt: none now, and none any more if over().
  std::optional<Plan> next() {
    if (under_way_ || over_) return std::nullopt;
    std::optional<Plan> plan = learned_ < most_ ? search_.next() : std::nullopt;
    under_way_ = plan.has_value();
    over_ = !plan;
    return plan;
  }
  void learn(TraceView trace) {
    under_way_ = false;
    ++learned_;
    search_.learn(trace);
  }
  bool over() const { return over_; }

  void save(StateWriter& out) const {
    out.put(learned_);
    out.put(over_);
    out.put(under_way_);
    search_.save(out);
  }
  void load(StateReader& in) {
    learned_ = in.get<uint64_t>();
    over_ = in.get<bool>();
    under_way_ = in.get<bool>();
    search_.load(in);
  }

 private:
  BlockSearch search_;
  const uint64_t most_;
  uint64_t learned_ = 0;
  bool under_way_ = false, over_ = false;
};

}  // namespace lockstep
