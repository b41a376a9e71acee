// Runs single schedules with stacks: confirms findings, completes them and looks for simpler schedules.
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
  Symbols& symbols();  // opened on first use: modules are known once the program has run
  Target& target() { return target_; }

  // Runs the finding's plan with stacks and returns the completed finding of an analysis; with `same_kind`, only one of
  // the same kind. nullopt: no analysis found anything. `seen` receives the trace in either case.
  std::optional<Finding> reproduce(Finding finding, bool same_kind, Trace* seen = nullptr);

  // Replays a complete finding once more and stops at every step for names, types, and the variables of a failed
  // assertion. Once `stop` returns true, the remaining names are left out.
  void observe(Finding& finding, const std::function<bool()>& stop = {});

  // Finds the cause of the failure by running other schedules (Finding::cause).
  void explain(Finding& finding, const ShrinkBudget& budget);
  // Replays its nearest passing schedule with stacks and values, to be told beside the failing one.
  void detail_passing(Finding& finding);
  // Both, as far as a run has time for it.
  Finding explained(Finding finding, ShrinkBudget budget);

  // Completes a finding that could not be replayed, from its trace without stacks.
  Finding complete(Finding finding);

  // The same failure as a confirmed finding, with a simpler schedule if there is one within the budget. `proved`:
  // nothing fails with up to this number of preemptions. See search/minimize/simplify.hpp.
  std::optional<Finding> find_with_points(const Finding& finding, const std::vector<TrackedRange>& racy,
                                          const ShrinkBudget& budget);
  Finding simplify(const Finding& finding, std::optional<uint32_t> proved, const ShrinkBudget& budget = {});

  // Races inside the C++ library are neither reported nor scheduling points: the library is assumed to be correct.
  bool is_library_race(const DataRace& race) { return suppressions_.is_library_race(race, symbols()); }

 private:
  std::vector<RecordRange> records_to_tell(const Finding& finding, bool same_kind);
  const std::string& invisible_code();  // see target/uninstrumented_sync.hpp

  Target& target_;
  Suppressions suppressions_;
  std::vector<std::unique_ptr<Analysis>> analyses_;
  std::unique_ptr<Symbols> symbols_;
  std::optional<std::string> invisible_code_;
  const std::optional<std::string> expected_output_;
};

}  // namespace lockstep
