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
    wakeup_.insert(search, race.first, search.sequence(race));
  }

 private:
  Wakeup wakeup_;
};

}  // namespace

std::unique_ptr<Strategy> make_optimal_dpor(const OptimalDporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<WakeupTrees>();
  parts.observed_labels = options.observed_labels;
  parts.max_steps = options.max_steps;
  parts.preemptions = options.preemptions;
  if (options.preemptions) parts.give_up = beyond_trace_cost(*options.preemptions);
  return std::make_unique<DporSearch>(std::move(parts));
}

}  // namespace lockstep
