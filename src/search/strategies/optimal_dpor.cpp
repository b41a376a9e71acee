// The reversal of optimal dynamic partial order reduction: wakeup trees, with source sets where they do not suffice.
#include "search/strategies/optimal_dpor.hpp"

#include <algorithm>

#include "search/dpor/dpor_search.hpp"
#include "search/dpor/source_sets.hpp"
#include "search/dpor/trace_bound.hpp"
#include "search/dpor/wakeup.hpp"
#include "search/strategies/source_dpor.hpp"

namespace lockstep {
namespace {

using namespace dpor;

class WakeupTrees final : public Reversal {
 public:
  void reverse(Path& path, Planner& planner, const Race& race) override {
    if (planner.tree()[path.state(race.first)].by_source_sets) return source_sets_.reverse(path, planner, race);
    if (planner.tree()[path.node(race.first)].label.ends) return wakeup_.go_first(path, planner, race);
    if (!could_run(path, race)) return;
    if (may_be_stuck(race)) return reverse_by_source_sets(path, planner, race);
    const uint32_t all = std::min(path.size(), path.stuck_at());
    const std::span<const SequenceItem> sequence = path.sequence(race);
    if (lets_others_choose(path, sequence)) return reverse_by_source_sets(path, planner, race);
    if (sequence.empty() || wakeup_.insert(path, planner, race.first, sequence, race.end == all)) return;
    Race whole = race;
    whole.end = all;
    const std::span<const SequenceItem> longer = path.sequence(whole);
    if (lets_others_choose(path, longer)) return reverse_by_source_sets(path, planner, race);
    wakeup_.insert(path, planner, race.first, longer);
  }

 private:
  // Operations that can wait without a rule of the race finder for it: loads of a spin loop, input and output.
  static bool waits_unseen(OpKind kind) { return !is_acquire(kind) || kind == OpKind::Io || kind == OpKind::Timer; }
  static bool was_pending(const Race& race) {
    return race.next->previous == HappensBefore::kNone || race.next->previous < race.first;
  }

  // False if the second step waited for the first: it was not enabled where the first was run.
  static bool could_run(const Path& path, const Race& race) {
    return !waits_unseen(race.next->kind) || !was_pending(race) || path.enabled(race.first, race.next->thread);
  }

  // The second step became pending after the first. Whether it would have waited without the first is not known.
  static bool may_be_stuck(const Race& race) {
    return (race.next->kind == OpKind::Io || race.next->kind == OpKind::Timer) && !was_pending(race);
  }

  // A thread that waited for several others to end continues inside the step of the last of them. If it then makes a
  // data choice, the choice comes after another step, or not at all, when the others end in another order.
  static bool lets_others_choose(const Path& path, std::span<const SequenceItem> sequence) {
    for (const SequenceItem& item : sequence)
      for (uint32_t r = item.record == kNone ? item.record : path.choice_after(item.record); r != kNone;
           r = path.choice_after(r))
        if (!chooses_by_itself(path.order(), r, item.record)) return true;
    return false;
  }
  // True if the choosing thread took the step, was created in the step by its thread, or waited for nothing else.
  static bool chooses_by_itself(const HappensBefore& order, uint32_t choice, uint32_t step) {
    uint32_t at = choice;
    while (order[at].thread != order[step].thread) {
      const ThreadId chooser = order[at].thread;
      uint32_t before = at;
      while (before != HappensBefore::kNone && before > step && order[before].thread == chooser)
        before = order[before].previous;
      const bool born = before != HappensBefore::kNone && before > step && order[before].kind == OpKind::Create;
      if (!born) return waited_only_for(order, at, step);
      at = before;
    }
    return true;
  }
  static bool waited_only_for(const HappensBefore& order, uint32_t after, uint32_t step) {
    const unsigned taker = index_of(order[step].thread), waiter = index_of(order[after].thread);
    uint32_t last = order[after].previous;
    while (last != HappensBefore::kNone && (order[last].flags & Step::kNote || order[last].kind == OpKind::Choose))
      last = order[last].previous;
    if (last != HappensBefore::kNone && !order.ordered(last, step)) return false;
    for (unsigned t = 0; t < order.width(); ++t)
      if (t != taker && t != waiter && order.clock(after)[t] > order.clock(step)[t]) return false;
    return true;
  }

  // A sequence that ends with a step that cannot be taken cannot be followed. So only its beginning is planned, and
  // source sets explore what follows. The same holds where a sequence with the same beginning is planned already: below
  // it, whatever a thread that sleeps since `race.first` could begin is expected to come as a sequence, which this one
  // does not.
  void reverse_by_source_sets(Path& path, Planner& planner, const Race& race) {
    ChoiceTree& tree = planner.tree();
    const uint32_t state = path.state(race.first), newest = tree[state].last;
    source_sets_.reverse(path, planner, race);
    for (uint32_t c = tree[newest].next; c != kNone; c = tree[c].next) tree[c].by_source_sets = true;
    if (tree[state].last == newest) leave_to_source_sets(planner, state);
  }
  // Chooses one of the initials, preferably one below which nothing is left to sequences.
  void leave_to_source_sets(Planner& planner, uint32_t state) {
    const ChoiceTree& tree = planner.tree();
    uint32_t found = kNone;
    for (const Label& initial : source_sets_.initials()) {
      const uint32_t c = tree.child(state, static_cast<uint16_t>(initial.thread));
      if (c == kNone) continue;
      if (tree[c].missing == 0 && (tree[c].by_source_sets || tree[c].status >= ChoiceTree::Status::Executed)) return;
      if (found == kNone) found = c;
    }
    if (found != kNone) wakeup_.leave_to_source_sets(planner, found);
  }

  Wakeup wakeup_;
  SourceSets source_sets_;
};

}  // namespace

std::unique_ptr<Search> make_optimal_dpor(const OptimalDporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<WakeupTrees>();
  parts.whole_sequences = true;
  if (!options.preemptions) parts.lanes = options.lanes;
  parts.for_one_worker = options.for_one_worker;
  parts.before_lanes = options.before_lanes;
  parts.mistakes.forget_guided = options.forget_guided;
  parts.mistakes.observed_labels = options.observed_labels;
  parts.mistakes.overlooks = options.overlooks;
  parts.max_steps = options.max_steps;
  parts.preemptions = options.preemptions;
  parts.each_trace_once = true;
  if (options.preemptions) parts.is_beyond_bound = beyond_trace_cost(*options.preemptions);
  return dpor_in_units(std::move(parts), options.division);
}

}  // namespace lockstep
