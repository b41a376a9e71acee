#include "search/strategies/optimal_dpor.hpp"

#include <algorithm>

#include "search/dpor/wakeup.hpp"

namespace lockstep {
namespace {

using namespace dpor;

class WakeupTrees final : public Reversal {
 public:
  explicit WakeupTrees(bool observed_labels) : observed_labels_(observed_labels) {}

  void reverse(DporSearch& search, const Race& race) override {
    const std::span<DporSearch::Item> sequence = search.sequence(race);
    if (observed_labels_) sequence.back().label = race.did;
    wakeup_.insert(search, race.first, sequence);
  }

 private:
  const bool observed_labels_;
  Wakeup wakeup_;
};

}  // namespace

std::unique_ptr<Strategy> make_optimal_dpor(const OptimalDporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<WakeupTrees>(options.observed_labels);
  parts.max_steps = options.max_steps;
  return std::make_unique<DporSearch>(std::move(parts));
}

}  // namespace lockstep
