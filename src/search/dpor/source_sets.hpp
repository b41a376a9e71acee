// The reversal of source sets (Abdulla, Aronis, Jonsson & Sagonas 2014).
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "search/dpor/planner.hpp"

namespace lockstep::dpor {

// The second step of a race can come first if a thread runs first that is an initial of the sequence without the first
// step. One initial is enough, and none is planned if one already is.
class SourceSets final : public Reversal {
 public:
  void reverse(Path& path, Planner& planner, const Race& race) override {
    if (!find_initials(path, race)) return;
    for (const Label& initial : initials_)
      if (planner.is_planned(race.first, initial.thread)) return;
    const Label* best = nullptr;
    for (const Label& initial : initials_) {
      if (!path.enabled(race.first, initial.thread)) continue;
      if (!best || initial.thread == race.next->thread) best = &initial;
    }
    if (best)
      planner.plan_one_of(race.first, *best, initials_);
    else  // an initial has to be enabled first by another thread
      planner.plan_enabled(race.first);
  }

  std::span<const Label> initials() const { return initials_; }  // of the last race

 private:
  bool find_initials(Path& path, const Race& race) {
    const HappensBefore& order = path.order();
    initials_.clear();
    firsts_.clear();
    Race until_then = race;
    until_then.end = race.at;
    const auto sequence = path.sequence(until_then);
    if (sequence.empty()) return false;
    bool second_is_initial = true;
    for (const auto& item : sequence.first(sequence.size() - 1)) {
      if (dependent(item.label, race.did)) second_is_initial = false;
      if (std::ranges::any_of(firsts_, [&](uint32_t f) { return order[f].thread == item.label.thread; })) continue;
      const bool first = std::ranges::none_of(firsts_, [&](uint32_t f) { return order.ordered(f, item.record); });
      firsts_.push_back(item.record);
      if (first) initials_.push_back(strongest(order[item.record]));
    }
    for (const uint32_t f : firsts_)
      if (race.next->previous != HappensBefore::kNone && order.ordered(f, race.next->previous))
        second_is_initial = false;
    if (second_is_initial) initials_.push_back(race.might);
    return true;
  }

  std::vector<Label> initials_;
  std::vector<uint32_t> firsts_;  // first record of each thread in the sequence
};

}  // namespace lockstep::dpor
