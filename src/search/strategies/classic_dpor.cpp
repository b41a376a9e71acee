// The reversal of classic dynamic partial order reduction.
#include "search/strategies/classic_dpor.hpp"

#include <algorithm>

#include "search/dpor/dpor_search.hpp"

namespace lockstep {
namespace {

using namespace dpor;

// Runs the thread of the second step before the first step of the race, or a thread whose steps lead to it. If all of
// these sleep there, runs every thread: the executions that they begin are explored elsewhere, but may not include the
// reversed race.
class BacktrackSets final : public Reversal {
 public:
  explicit BacktrackSets(bool picks_sleepers) : picks_sleepers_(picks_sleepers) {}

  void reverse(Path& path, Planner& planner, const Race& race) override {
    leading_.clear();
    const HappensBefore& order = path.order();
    const auto consider = [&](ThreadId t) {
      if (path.enabled(race.first, t) && std::find(leading_.begin(), leading_.end(), t) == leading_.end())
        leading_.push_back(t);
    };
    consider(race.next->thread);
    for (uint32_t k = race.first + 1; k < race.end && race.next->previous != HappensBefore::kNone; ++k)
      if (order.ordered(k, race.next->previous)) consider(order[k].thread);
    if (!picks_sleepers_) std::erase_if(leading_, [&](ThreadId t) { return path.sleeps(race.first, t); });
    for (const ThreadId t : leading_)
      if (planner.is_planned(race.first, t)) return;
    if (leading_.empty()) return planner.plan_enabled(race.first);
    planner.plan(race.first, leading_[0], path.pending_label(race.first, leading_[0]));
  }

 private:
  const bool picks_sleepers_;
  std::vector<ThreadId> leading_;
};

}  // namespace

std::unique_ptr<Search> make_dpor(const DporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<BacktrackSets>(options.picks_sleepers);
  parts.sleep_sets = options.sleep_sets || options.picks_sleepers;
  parts.max_steps = options.max_steps;
  return std::make_unique<DporSearch>(std::move(parts));
}

}  // namespace lockstep
