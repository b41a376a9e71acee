#include "search/strategies/optimal_dpor.hpp"

#include <algorithm>

#include "search/dpor/trace_bound.hpp"
#include "search/dpor/wakeup.hpp"

namespace lockstep {
namespace {

using namespace dpor;

class WakeupTrees final : public Reversal {
 public:
  void reverse(DporSearch& search, const Race& race) override {
    const uint32_t all = search.order().size();
    const std::span<const DporSearch::Item> sequence = search.sequence(race);
    if (sequence.empty() || wakeup_.insert(search, race.first, sequence, race.end == all)) return;
    Race whole = race;
    whole.end = all;
    wakeup_.insert(search, race.first, search.sequence(whole));
  }
  void displaced(DporSearch& search, uint32_t record, std::span<const SequenceItem> sequence) override {
    wakeup_.insert(search, record, sequence);
  }

 private:
  Wakeup wakeup_;
};

}  // namespace

std::unique_ptr<Strategy> make_optimal_dpor(const OptimalDporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<WakeupTrees>();
  parts.whole_sequences = true;
  parts.observed_labels = options.observed_labels;
  parts.max_steps = options.max_steps;
  parts.preemptions = options.preemptions;
  parts.each_trace_once = true;
  if (options.preemptions) parts.give_up = beyond_trace_cost(*options.preemptions);
  return std::make_unique<DporSearch>(std::move(parts));
}

}  // namespace lockstep
