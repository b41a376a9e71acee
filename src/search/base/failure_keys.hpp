// Which failures are worth a confirming replay. An exploration that goes on after a bug meets the same one thousands
// of times; a key computed from the trace alone tells them apart well enough to replay each about once. The exact
// answer, whether two confirmed bugs are the same, is the finding's fingerprint.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

using FailureKey = uint64_t;

// What failed, who, with which words, at which operation; for a deadlock or livelock, what everybody waits for.
FailureKey key_of(const Finding& finding, TraceView trace);

class FailureKeys {
 public:
  bool worth_confirming(FailureKey key) const;
  void confirmed(FailureKey key) { attempts_[key] = kEnough; }
  void not_repeated(FailureKey key) { ++attempts_[key]; }
  std::vector<FailureKey> all_confirmed() const;

 private:
  static constexpr unsigned kEnough = 3;  // a failure that did not repeat may be one of a kind that does
  std::unordered_map<FailureKey, unsigned> attempts_;
};

}  // namespace lockstep
