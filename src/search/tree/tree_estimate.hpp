// Estimates the total number of executions of a tree search while it runs.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "model/schedule.hpp"
#include "model/trace.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

// For a search level by level. The open executions at the beginning of a level are its roots, which are explored
// depth-first. So the number of roots not yet begun is the smallest number of open executions so far, and the other
// roots show how many executions a root takes.
class LevelEstimate {
 public:
  void begin(uint64_t open, uint64_t executed) {
    roots_ = fewest_ = open;
    before_ = done_ = executed;
  }
  void executed(uint64_t open, uint64_t executed) {  // `open`: of this level, including those in flight
    if (open >= fewest_) return;
    fewest_ = open;
    done_ = executed;
  }
  uint64_t total() const {  // at the end of this level; 0: unknown
    return fewest_ == roots_ ? 0 : before_ + (done_ - before_) * roots_ / (roots_ - fewest_);
  }

 private:
  uint64_t roots_ = 0, fewest_ = 0;
  uint64_t before_ = 0, done_ = 0;  // numbers of executions
};

// For depth-first search. An execution with b alternatives at each of its decisions stands for the product of all 1/b
// of the whole (weighted backtracking: Kilby, Slaney, Thiebaux & Walsh 2006).
class WeightEstimate {
 public:
  void executed(TraceView trace) {
    constexpr uint64_t kOneIn = 8;  // reading every step of every execution would cost too much
    const uint64_t stands_for = executions_ < kAll ? 1 : kOneIn;
    if (++executions_ % stands_for != 0) return;
    const std::span<const Step> steps = trace.steps();
    weights_.resize(std::min<size_t>(looked_at_.shared_with(trace), weights_.size()));
    double weight = weights_.empty() ? 1 : weights_.back();
    for (const Step& step : steps.subspan(weights_.size())) {
      if (!step.is_note())
        weight /= step.is_choice() ? std::max<unsigned>(1, step.alternatives())
                                   : std::max<unsigned>(1, trace.enabled(step).size());
      weights_.push_back(weight);
    }
    seen_ += weight * static_cast<double>(stands_for);
    counted_ += stands_for;
  }
  uint64_t total() const {
    return seen_ > 0 ? static_cast<uint64_t>(std::llround(static_cast<double>(counted_) / seen_)) : 0;
  }

  // Begins a part of the tree that another process explores, after the first executions.
  void begin_part() { executions_ = kAll; }
  void save_part(StateWriter& out) const {
    out.put(counted_);
    out.put(seen_);
  }
  void add_part(StateReader& in) {
    counted_ += in.get<uint64_t>();
    seen_ += in.get<double>();
  }

 private:
  static constexpr uint64_t kAll = 1024;
  uint64_t executions_ = 0, counted_ = 0;
  double seen_ = 0;  // explored fraction, up to 1
  Predecessor looked_at_;
  std::vector<double> weights_;  // up to each record of the last execution
};

}  // namespace lockstep
