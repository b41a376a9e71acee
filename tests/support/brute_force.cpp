#include "brute_force.hpp"

namespace lockstep::fake {
namespace {

constexpr unsigned kNobody = ~0u;
using Counts = std::map<uint32_t, uint64_t>;

class Counter {
 public:
  const Counts& from(const Machine& state, unsigned last) {
    std::vector<Value> key = state.key();
    key.push_back(last);
    if (const auto known = memo_.find(key); known != memo_.end()) return known->second;
    Counts counts;
    if (!state.any_enabled()) counts[0] = 1;
    for (unsigned t = 0; t < state.threads(); ++t) {
      if (!state.enabled(t)) continue;
      const bool preempts = last != kNobody && last != t && state.enabled(last) && !state.yielded(last);
      for (unsigned choice = 0; choice < state.choices(t); ++choice) {
        Machine after = state;
        after.step(t, choice);
        for (const auto& [preemptions, n] : from(after, t)) counts[preemptions + preempts] += n;
      }
    }
    return memo_[key] = std::move(counts);
  }

 private:
  std::map<std::vector<Value>, Counts> memo_;
};

}  // namespace

std::map<uint32_t, uint64_t> count_schedules(const Program& program) {
  return Counter().from(Machine(program), kNobody);
}

uint64_t total(const std::map<uint32_t, uint64_t>& counts, uint32_t most_preemptions) {
  uint64_t sum = 0;
  for (const auto& [preemptions, n] : counts)
    if (preemptions <= most_preemptions) sum += n;
  return sum;
}

}  // namespace lockstep::fake
