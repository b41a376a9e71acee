// Measures which parts of a mixture still show new behaviour: the number of their executions with a new fingerprint. At
// the end of every round the parts that look for bugs divide their turns anew. Counted in executions, so that a run
// repeats.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/base/trace_meter.hpp"

namespace lockstep {

class Novelty {
 public:
  explicit Novelty(size_t parts) : shown_(parts), fresh_(parts) {}

  void saw(TraceView trace, size_t part) {
    if (seen_.size() >= kMostSeen || trace.is_brief() || trace.header().steps > kLongest) return;
    meter_.read(trace);
    ++shown_[part];
    fresh_[part] += seen_.insert(meter_.fingerprint()).second;
  }

  // Slices with the same sum as `slices`, each in proportion to its old size times the new behaviour of its part in
  // this round. No slice loses more than three quarters. Begins the next round. A slice of 0 takes no part.
  std::vector<uint32_t> share(const std::vector<uint32_t>& slices) {
    uint64_t all = 0, weights = 0;
    std::vector<uint64_t> weight(slices.size());
    for (size_t i = 0; i < slices.size(); ++i) {
      const uint64_t thousandths = shown_[i] == 0 ? 1000 : 1000 * fresh_[i] / shown_[i];
      weight[i] = slices[i] * std::max<uint64_t>(thousandths, 250);
      weights += weight[i];
      all += slices[i];
      shown_[i] = fresh_[i] = 0;
    }
    std::vector<uint32_t> shares(slices.size());
    for (size_t i = 0; i < slices.size() && weights > 0; ++i)
      shares[i] = static_cast<uint32_t>((all * weight[i] + weights / 2) / weights);
    return shares;
  }

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

  TraceMeter meter_;
  std::unordered_set<uint64_t> seen_;
  std::vector<uint64_t> shown_, fresh_;  // executions of each part in this round; those with new behaviour
};

}  // namespace lockstep
