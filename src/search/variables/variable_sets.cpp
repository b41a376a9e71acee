// Enumerates sets of variables stage by stage.
#include "search/variables/variable_sets.hpp"

#include <algorithm>
#include <numeric>

namespace lockstep {

std::vector<VariableSets::Stage> VariableSets::by_variables(uint32_t preemptions, uint32_t variables) {
  std::vector<Stage> stages{{0, 0}};
  for (uint32_t v = 1; v <= std::min(preemptions, variables); ++v) stages.push_back({preemptions, v});
  return stages;
}

std::vector<VariableSets::Stage> VariableSets::by_preemptions(uint32_t preemptions, uint32_t variables) {
  std::vector<Stage> stages{{0, 0}};
  for (uint32_t c = 1; c <= preemptions; ++c)
    for (uint32_t v = 1; v <= std::min(c, variables); ++v) stages.push_back({c, v});
  return stages;
}

bool VariableSets::has_next(const Place& place, size_t variables) {
  const size_t size = place.stage.variables;
  if (!place.begun) return size <= variables;
  return size > 0 && place.set.front() + size < variables;
}

bool VariableSets::advance(size_t variables) {
  for (at_ = 0; at_ < places_.size(); ++at_) {
    Place& place = places_[at_];
    if (!has_next(place, variables)) continue;
    size_t grown = 0;  // the first element that can grow; all before it start again
    if (place.begun) {
      while (grown + 1 < place.set.size() && place.set[grown] + 1 == place.set[grown + 1]) ++grown;
      ++place.set[grown];
    } else {
      place.set.resize(grown = place.stage.variables);
      place.begun = true;
    }
    std::iota(place.set.begin(), place.set.begin() + static_cast<std::ptrdiff_t>(grown), size_t{0});
    return true;
  }
  at_ = 0;
  return false;
}

size_t VariableSets::finished(size_t variables, bool under_way) const {
  const size_t most = under_way ? at_ : places_.size();
  size_t stages = 0;
  while (stages < most && !has_next(places_[stages], variables)) ++stages;
  return stages;
}

void VariableSets::start_over() {
  for (Place& place : places_) place.begun = false;
}

void VariableSets::save(StateWriter& out) const {
  out.put<uint64_t>(at_);
  for (const Place& place : places_) {
    out.put(place.begun);
    out.put_all(place.set);
  }
}

void VariableSets::load(StateReader& in) {
  at_ = in.get<uint64_t>();
  for (Place& place : places_) {
    place.begun = in.get<bool>();
    place.set = in.get_all<size_t>();
    if (place.begun && place.set.size() != place.stage.variables) in.reject();
  }
  if (at_ >= places_.size()) in.reject();
  if (!in.good()) start_over(), at_ = 0;
}

}  // namespace lockstep
