#include "search/strategies/optimal_dpor.hpp"

#include <algorithm>

#include "search/dpor/source_sets.hpp"
#include "search/dpor/trace_bound.hpp"
#include "search/dpor/wakeup.hpp"

namespace lockstep {
namespace {

using namespace dpor;

class WakeupTrees final : public Reversal {
 public:
  void reverse(DporSearch& search, const Race& race) override {
    if (search.tree()[search.state(race.first)].loose) return source_sets_.reverse(search, race);
    if (search.tree()[search.taken(race.first)].label.ends) return wakeup_.go_first(search, race);
    const uint32_t all = search.order().size();
    const std::span<const DporSearch::Item> sequence = search.sequence(race);
    if (sequence.empty() || wakeup_.insert(search, race.first, sequence, race.end == all)) return;
    Race whole = race;
    whole.end = all;
    wakeup_.insert(search, race.first, search.sequence(whole));
  }

 private:
  Wakeup wakeup_;
  SourceSets source_sets_;
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
