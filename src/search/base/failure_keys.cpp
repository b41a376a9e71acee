// Computes the keys of failures.
#include "search/base/failure_keys.hpp"

#include <algorithm>
#include <string_view>

namespace lockstep {
namespace {

class Hash {
 public:
  Hash& add(uint64_t x) {
    state_ = (state_ ^ x) * 0x9e3779b97f4a7c15ull;
    state_ ^= state_ >> 32;
    return *this;
  }
  Hash& add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    return add(text.size());
  }
  Hash& add(const Step& s) {
    return add(index_of(s.thread)).add(static_cast<uint64_t>(s.kind)).add(uint64_t(s.object));
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x243f6a8885a308d3ull;
};

}  // namespace

FailureKey key_of(const Finding& finding, TraceView trace) {
  const TraceHeader& header = trace.header();
  Hash hash;
  if (finding.race) {  // the two places, in either order; a certain race and a doubtful one differ
    const auto [low, high] = std::minmax(finding.race->first.pc, finding.race->second.pc);
    hash.add(static_cast<uint64_t>(finding.kind)).add(low).add(high).add(finding.doubt.empty());
    return hash.add(static_cast<uint64_t>(finding.race->second.misuse)).value();
  }
  if (!finding.lock_cycle.empty()) {  // the locks, wherever the cycle begins
    uint64_t locks = 0;
    for (const LockNesting& n : finding.lock_cycle) locks += static_cast<uint64_t>(n.held) * 0x9e3779b97f4a7c15ull;
    return hash.add(static_cast<uint64_t>(finding.kind)).add(locks).value();
  }
  if (finding.allocation) return hash.add(static_cast<uint64_t>(finding.kind)).add(finding.allocation->pc).value();
  if (!finding.steps.empty()) {  // the same operations of the same threads, in any execution
    hash.add(static_cast<uint64_t>(finding.kind));
    for (const uint32_t i : finding.steps) hash.add(trace.steps()[i]);
    return hash.value();
  }
  hash.add(static_cast<uint64_t>(finding.kind)).add(static_cast<uint64_t>(header.outcome));
  if (header.outcome == Outcome::Ok) hash.add(header.output);
  hash.add(index_of(header.culprit)).add(static_cast<uint64_t>(header.code)).add(finding.message);
  if (header.outcome == Outcome::Deadlock || header.outcome == Outcome::Livelock) {
    for (const Step& p : trace.pending()) hash.add(p);
  } else {
    // A failed assertion depends on the last operation of its thread, not on where the other threads were.
    const auto steps = trace.steps();
    for (size_t i = steps.size(); i-- > 0;) {
      if (steps[i].thread != header.culprit) continue;
      hash.add(steps[i]);
      break;
    }
  }
  return hash.value();
}

bool FailureKeys::worth_confirming(FailureKey key) const {
  const auto place = attempts_.find(key);
  return place == attempts_.end() || place->second < kEnough;
}

std::vector<FailureKey> FailureKeys::all_confirmed() const {
  std::vector<FailureKey> keys;
  for (const auto& [key, attempts] : attempts_)
    if (attempts >= kEnough) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace lockstep
