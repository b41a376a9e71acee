#include "search/strategies/dpor.hpp"

#include <algorithm>

#include "search/dpor/dpor_search.hpp"

namespace lockstep {
namespace {

using namespace dpor;

// Before the first step of the race, run the thread of the second, or somebody whose steps lead to it.
class BacktrackSets final : public Reversal {
 public:
  void reverse(DporSearch& search, const Race& race) override {
    leading_.clear();
    const HappensBefore& order = search.order();
    const auto consider = [&](ThreadId t) {
      if (search.enabled(race.first, t) && std::find(leading_.begin(), leading_.end(), t) == leading_.end())
        leading_.push_back(t);
    };
    consider(race.next->thread);
    for (uint32_t k = race.first + 1; k < race.end && race.next->previous != HappensBefore::kNone; ++k)
      if (order.ordered(k, race.next->previous)) consider(order[k].thread);
    const auto planned = [&](ThreadId t) {
      return search.tree().child(search.state(race.first), static_cast<uint16_t>(t)) != ChoiceTree::kNone;
    };
    if (std::any_of(leading_.begin(), leading_.end(), planned)) return;
    if (!leading_.empty()) {
      search.plan(race.first, leading_[0], search.pending_label(race.first, leading_[0]));
      return;
    }
    search.trace().enabled(search.trace().steps()[race.first]).for_each([&](ThreadId t) {
      if (!planned(t)) search.plan(race.first, t, search.pending_label(race.first, t));
    });
  }

 private:
  std::vector<ThreadId> leading_;
};

}  // namespace

std::unique_ptr<Search> make_dpor(const DporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<BacktrackSets>();
  parts.sleep_sets = options.sleep_sets;
  parts.max_steps = options.max_steps;
  return std::make_unique<DporSearch>(std::move(parts));
}

}  // namespace lockstep
