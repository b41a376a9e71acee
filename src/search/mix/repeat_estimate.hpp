// Estimates whether random executions repeat each other. Among n draws from a space of S equally likely traces, about
// n²/2S have been seen before. So a few dozen draws distinguish a small space from one that is too large to search.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/base/trace_meter.hpp"

namespace lockstep {

class Repeats {
 public:
  // `drawn`: at random, independently of all others. Other executions only count as seen.
  void saw(TraceView trace, bool drawn) {
    if (!trace.is_brief()) meter_.read(trace);
    const bool fresh = seen_.insert(trace.is_brief() ? trace.header().fingerprint : meter_.fingerprint()).second;
    drawn_ += drawn;
    repeated_ += drawn && !fresh;
  }
  bool many() const { return repeated_ > 0 && repeated_ * kOneIn >= drawn_; }

  void forget() {
    seen_ = {};
    meter_ = {};
  }
  void save(StateWriter& out) const {
    out.put(drawn_);
    out.put(repeated_);
    out.put_all(std::vector<uint64_t>(seen_.begin(), seen_.end()));
  }
  void load(StateReader& in) {
    drawn_ = in.get<uint64_t>();
    repeated_ = in.get<uint64_t>();
    const auto seen = in.get_all<uint64_t>();
    seen_.insert(seen.begin(), seen.end());
  }

 private:
  static constexpr uint64_t kOneIn = 20;

  TraceMeter meter_;
  std::unordered_set<uint64_t> seen_;
  uint64_t drawn_ = 0, repeated_ = 0;
};

}  // namespace lockstep
