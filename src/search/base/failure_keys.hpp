// Decides which failures get a confirming replay. An exploration that goes on after a bug meets the same bug thousands
// of times. A key computed from the trace alone distinguishes bugs well enough to replay each about once. The
// fingerprint of a finding decides exactly whether two confirmed bugs are the same.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

using FailureKey = uint64_t;

// The kind of the failure, its thread, its message and its operation; for a deadlock or livelock, the operations that
// threads wait in.
FailureKey key_of(const Finding& finding, TraceView trace);

class FailureKeys {
 public:
  bool worth_confirming(FailureKey key) const;
  void confirmed(FailureKey key) { attempts_[key] = kEnough; }
  void not_repeated(FailureKey key) { ++attempts_[key]; }
  std::vector<FailureKey> all_confirmed() const;

 private:
  static constexpr unsigned kEnough = 3;  // more attempts than one: another failure with the same key may repeat
  std::unordered_map<FailureKey, unsigned> attempts_;
};

}  // namespace lockstep
