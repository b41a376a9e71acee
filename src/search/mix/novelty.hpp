// Measures which parts of a mixture still show new behaviour: how many new abstract states their executions reach. New
// fingerprints would not tell: in a large space every execution has one. At the end of every round the parts that look
// for bugs divide their turns anew. Counted in executions, so that a run repeats.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/base/state_hash.hpp"

namespace lockstep {

class Novelty {
 public:
  explicit Novelty(size_t parts) : shown_(parts), fresh_(parts) {}

  void saw(TraceView trace, size_t part) {
    if (seen_.size() >= kMostSeen || trace.is_brief() || trace.header().steps > kLongest) return;
    state_.begin();
    const size_t before = seen_.size();
    for (const Step& step : trace.steps())
      if (!step.is_note() && !step.is_choice()) seen_.insert(state_.add(step));
    ++shown_[part];
    fresh_[part] += seen_.size() - before;
  }

  // Of a part's executions per round: how many it has at first, and how many it keeps.
  struct Share {
    uint32_t slice, least;
  };
  // Slices with the same sum: each part keeps its least, the rest is divided in proportion to its slice times the new
  // states per execution of its part in this round. Begins the next round.
  std::vector<uint32_t> share(const std::vector<Share>& shares) {
    uint64_t rest = 0, weights = 0;
    std::vector<uint64_t> weight(shares.size());
    for (size_t i = 0; i < shares.size(); ++i) {
      const uint64_t free = shares[i].slice - shares[i].least;
      rest += free;
      weight[i] = free * (shown_[i] == 0 ? 0 : 1000 * fresh_[i] / shown_[i]);
      weights += weight[i];
      shown_[i] = fresh_[i] = 0;
    }
    std::vector<uint32_t> slices;
    for (size_t i = 0; i < shares.size(); ++i)
      slices.push_back(weights == 0
                           ? shares[i].slice
                           : shares[i].least + static_cast<uint32_t>((rest * weight[i] + weights / 2) / weights));
    return slices;
  }

  size_t states() const { return seen_.size(); }

  void save(StateWriter& out) const {
    out.put_all(std::vector<uint64_t>(seen_.begin(), seen_.end()));
    out.put_all(shown_);
    out.put_all(fresh_);
  }
  void load(StateReader& in) {
    const size_t parts = shown_.size();
    const auto seen = in.get_all<uint64_t>();
    seen_.insert(seen.begin(), seen.end());
    shown_ = in.get_all<uint64_t>();
    fresh_ = in.get_all<uint64_t>();
    if (shown_.size() == parts && fresh_.size() == parts) return;
    *this = Novelty(parts);
    in.reject();
  }

 private:
  static constexpr size_t kMostSeen = 1 << 20;  // then the shares no longer change
  static constexpr uint32_t kLongest = 2'000;   // steps; examining a longer execution costs more than it is worth

  StateHash state_;
  std::unordered_set<uint64_t> seen_;
  std::vector<uint64_t> shown_, fresh_;  // executions of each part in this round; those with new behaviour
};

}  // namespace lockstep
