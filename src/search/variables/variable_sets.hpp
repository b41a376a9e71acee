// The order of the sets of shared variables. Stages of (preemptions, variables) follow each other. A stage has a set
// for every choice of that many variables. Variables may be added at any time: then a finished stage has new sets.
//
// Sets are ordered by their last variable (colexicographic). So a new variable only adds sets at the end, and sets of
// early iterations of loops come before those of later ones.
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
  // The outer loop is over variables (Bindal, Bansal & Lal 2013, section 5): all preemptions at one variable, then at
  // two...
  static std::vector<Stage> by_variables(uint32_t preemptions, uint32_t variables);
  // One preemption at one variable, two at one, two at two, three at one...
  static std::vector<Stage> by_preemptions(uint32_t preemptions, uint32_t variables);

  explicit VariableSets(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages) places_.push_back({stage, {}, false});
  }

  // Goes to the next set; `variables`: number of known variables; false: there is none.
  bool advance(size_t variables);
  const std::vector<size_t>& set() const { return places_[at_].set; }  // ascending
  Stage stage() const { return places_[at_].stage; }
  // Number of initial stages whose sets are all done. `under_way`: the current set is not done.
  size_t finished(size_t variables, bool under_way) const;
  const Stage& operator[](size_t stage) const { return places_[stage].stage; }
  void start_over();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Place {
    Stage stage;
    std::vector<size_t> set;  // the current set
    bool begun;
  };
  static bool has_next(const Place& place, size_t variables);

  std::vector<Place> places_;
  size_t at_ = 0;
};

}  // namespace lockstep
