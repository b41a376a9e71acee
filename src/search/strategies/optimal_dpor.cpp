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
    if (!could_run(search, race)) return;
    if (may_be_stuck(race)) return reverse_loosely(search, race);
    const uint32_t all = search.order().size();
    const std::span<const DporSearch::Item> sequence = search.sequence(race);
    if (sequence.empty() || wakeup_.insert(search, race.first, sequence, race.end == all)) return;
    Race whole = race;
    whole.end = all;
    wakeup_.insert(search, race.first, search.sequence(whole));
  }

 private:
  // No rule of the race finder says when these wait: loads of a loop that spins, input and output.
  static bool waits_unseen(OpKind kind) { return !is_acquire(kind) || kind == OpKind::Io || kind == OpKind::Timer; }
  static bool was_pending(const Race& race) {
    return race.next->previous == HappensBefore::kNone || race.next->previous < race.first;
  }

  // The second step waited for the first, if it could not run where that was run.
  static bool could_run(DporSearch& search, const Race& race) {
    return !waits_unseen(race.next->kind) || !was_pending(race) || search.enabled(race.first, race.next->thread);
  }

  // It came to wait after the first step had been run; nobody knows whether it would have without that.
  static bool may_be_stuck(const Race& race) {
    return (race.next->kind == OpKind::Io || race.next->kind == OpKind::Timer) && !was_pending(race);
  }

  // A sequence that ends with a step which cannot be taken cannot be followed, so only its beginning is planned.
  void reverse_loosely(DporSearch& search, const Race& race) {
    ChoiceTree& tree = search.tree();
    const uint32_t state = search.state(race.first), newest = tree[state].last;
    source_sets_.reverse(search, race);
    for (uint32_t c = tree[newest].next; c != ChoiceTree::kNone; c = tree[c].next) tree[c].loose = true;
  }

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
