// Which sets of shared variables come when. Stages of (preemptions, variables) follow each other; a stage has a set for
// every choice of so many variables. Variables may be added at any time: then a stage that was finished has new sets.
//
// Sets come in the order of their last variable (colexicographic), so that a new variable only adds sets behind those
// that were there, and those of early iterations of loops come before those of later ones.
#pragma once
#include <cstdint>
#include <vector>

#include "search/base/saved_state.hpp"

namespace lockstep {

class VariableSets {
 public:
  struct Stage {
    uint32_t preemptions, variables;
  };
  // Variables outside, preemptions inside (Bindal, Bansal & Lal 2013, section 5): all preemptions at one variable, then
  // at two...
  static std::vector<Stage> by_variables(uint32_t preemptions, uint32_t variables);
  // One preemption at one variable, two at one, two at two, three at one...
  static std::vector<Stage> by_preemptions(uint32_t preemptions, uint32_t variables);

  explicit VariableSets(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages) places_.push_back({stage, {}, false});
  }

  // Goes to the next set of `variables` variables; false: there is none.
  bool advance(size_t variables);
  const std::vector<size_t>& set() const { return places_[at_].set; }  // ascending
  Stage stage() const { return places_[at_].stage; }
  // Stages, from the first on, all of whose sets are done. `under_way`: the present one is not.
  size_t finished(size_t variables, bool under_way) const;
  const Stage& operator[](size_t stage) const { return places_[stage].stage; }
  void start_over();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Place {
    Stage stage;
    std::vector<size_t> set;  // the one reached
    bool begun;
  };
  static bool has_next(const Place& place, size_t variables);

  std::vector<Place> places_;
  size_t at_ = 0;
};

}  // namespace lockstep
