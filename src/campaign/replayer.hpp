// Runs single schedules with stacks: confirms findings, completes them, looks for simpler ones.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_registry.hpp"
#include "report/suppressions.hpp"
#include "search/minimize/shrink.hpp"
#include "target/target.hpp"

namespace lockstep {

class Replayer {
 public:
  Replayer(Target& target, bool races_are_bugs, Suppressions suppressions = {},
           std::optional<std::string> expected_output = {});

  std::vector<Analysis*> analyses() const;
  Symbols& symbols();  // opened when first needed: modules are known once the program ran
  Target& target() { return target_; }

  // Runs the finding's plan with stacks; what an analysis says about it, completed; with same_kind only of its kind.
  // nullopt: nothing did. `seen` gets the trace in either case.
  std::optional<Finding> reproduce(Finding finding, bool same_kind, Trace* seen = nullptr);

  // Replays a complete finding once more and looks at the program at every step: names, types, the variables of a
  // failed assertion. `stop`: names are left out from there on.
  void observe(Finding& finding, const std::function<bool()>& stop = {});

  // Finds out why it fails, by other executions (Finding::cause).
  void explain(Finding& finding, const ShrinkBudget& budget);
  // Replays its nearest passing schedule with stacks and values, to be told beside the failing one.
  void detail_passing(Finding& finding);
  // Both, as far as a run has time for it.
  Finding explained(Finding finding, ShrinkBudget budget);

  // A finding that could not be replayed: what its trace tells without stacks.
  Finding complete(Finding finding);

  // The same failure, of a confirmed finding, by a simpler schedule if there is one within the budget. `proved`:
  // nothing fails with up to so many preemptions.
  // See search/minimize/simplify.hpp.
  std::optional<Finding> find_with_points(const Finding& finding, std::vector<TrackedRange> racy,
                                          const ShrinkBudget& budget);
  Finding simplify(const Finding& finding, std::optional<uint32_t> proved, const ShrinkBudget& budget = {});

  // Races inside the C++ library are neither reported nor scheduling points: the library keeps its specification.
  bool is_library_race(const DataRace& race) { return suppressions_.is_library_race(race, symbols()); }

 private:
  const std::string& invisible_code();  // see target/uninstrumented_sync.hpp

  Target& target_;
  Suppressions suppressions_;
  std::vector<std::unique_ptr<Analysis>> analyses_;
  std::unique_ptr<Symbols> symbols_;
  std::optional<std::string> invisible_code_;
  const std::optional<std::string> expected_output_;
};

}  // namespace lockstep
