// What a worker does for a crew, here or on another machine: it explores units with a search and a program of its own.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crew/crew_messages.hpp"
#include "search/exploration/unit_result.hpp"
#include "search/strategies/strategy_settings.hpp"
#include "target/target.hpp"

namespace lockstep {

// Explores one unit. `resumed`: executions from a checkpoint so far, as Target::resumed(). nullopt: it was stopped.
std::optional<UnitResult> explore_order(const CrewOrder& order, Search& search, Target& target,
                                        const UnitSettings& settings, uint64_t& resumed,
                                        const std::function<bool()>& hurry);

// All that a worker on another machine has to know of a search.
struct SearchDescription {
  StrategyOptions strategy;  // of one that can be divided: it has neither ranks nor focus
  PromotedPoints points;
  bool looks_for_points = true, count_traces = true, races_are_bugs = true;
  std::optional<std::string> expected_output;
};
std::string pack(const SearchDescription& search);

// Explores units for who described the search.
class UnitService {
 public:
  // nullptr: no such search can be made here.
  static std::unique_ptr<UnitService> make(const std::string& description);
  struct Answer {
    std::string bytes;  // a packed UnitResult
    uint64_t executions;
  };
  // nullopt: it was stopped.
  std::optional<Answer> explore(const CrewOrder& order, Target& target);

 private:
  UnitService() = default;
  std::unique_ptr<Search> make_search() const;

  SearchDescription search_;
  std::vector<std::unique_ptr<Analysis>> analyses_;
  std::vector<Analysis*> used_;
};

}  // namespace lockstep
