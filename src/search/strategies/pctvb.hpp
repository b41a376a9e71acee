// Strategy `pctvb`, PCT with variable bounding (Bindal, Bansal & Lal 2013, section 3): each execution chooses a few
// shared variables and changes priorities only at accesses to them. Rarely accessed variables get as much attention as
// others. All memory allocated with one call stack counts as one variable, so that the number of variables is known
// after few executions.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"
#include "search/variables/survey.hpp"

namespace lockstep {

struct PctvbOptions {
  uint32_t depth = 2;      // ordering constraints that a bug needs
  uint32_t variables = 1;  // variables at whose accesses they arise
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  bool survey = true;  // as in VbOptions
  PointsAt focus{};    // the only variables to choose from, if there are any
};

// Upper bound on the probability that a bug of `depth` at v of Q variables is missed; together the v variables are
// accessed at most `accesses` times.
double pctvb_miss_probability(const PctvbOptions& options, uint64_t shared, uint32_t threads, uint64_t accesses,
                              uint64_t executions);

std::unique_ptr<Search> make_pctvb(const PctvbOptions& options);

}  // namespace lockstep
