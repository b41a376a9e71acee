// What a search can do whose work is divided into units. Everybody divides alike: one worker explores unit after unit,
// several explore them side by side and their results are counted in the order of the list. So the executions and
// their order are the same for any number of workers.
#pragma once
#include <string>
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/base/unit_list.hpp"

namespace lockstep {

inline constexpr uint64_t kUnitExecutions = 4096;  // of a unit at most; then what is left of it becomes units
inline constexpr uint32_t kUnitWindow = 256;       // executions of a unit under way at a time: part of their order

class Division {
 public:
  virtual ~Division() = default;

  // --- whoever hands units out ---
  virtual bool at_border() const = 0;  // no unit is being explored here
  virtual UnitList& units() = 0;       // at a border: everything that is open, unless there is no end of it
  // What end() wrote of a unit, which had so many executions. False: because of it the search starts over, without the
  // units that are open.
  virtual bool count(StateReader& totals, uint64_t executions) = 0;
  // What is left of a unit after so many of its executions. Only of searches that draw them.
  virtual std::string after(const std::string& unit, uint64_t executions) const = 0;

  // --- whoever explores one, with a search that was made for it ---
  virtual void begin(const Unit& unit) = 0;
  // Once nothing is in flight: what is to be counted, and what is left.
  virtual std::vector<UnitPart> end(StateWriter& totals) = 0;
};

}  // namespace lockstep
