// Strategy `vb`, variable bounding (Bindal, Bansal & Lal 2013, sections 2 and 5): for every set of a few shared
// variables, all executions with a few preemptions at accesses to these variables; optionally only orders of a few
// threads (section 4).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/variables/survey.hpp"

namespace lockstep {

struct VbOptions {
  uint32_t preemptions = 2;
  uint32_t variables = 2;
  // Bound on the threads whose order matters; none: all threads, if they are few.
  std::optional<uint32_t> thread_bound{};
  // For memory allocated in loops: iterations up to this one, from 0; none: all.
  std::optional<uint32_t> loop_iterations{};
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  bool by_preemptions = false;  // the number of preemptions grows before the number of variables
  bool whole_blocks = false;    // a block of the heap is one variable; otherwise each of its elements is
  // Every execution is searched for shared variables. Otherwise only the first few are, and the others run faster.
  bool survey = true;
  PointsAt focus{};       // these variables come first
  GlobalAt globals{};     // with whole_blocks: a global is one variable as well
  double epsilon = 0.01;  // for a thread bound: probability that orders are missed
};

std::unique_ptr<Search> make_vb(const VbOptions& options);

}  // namespace lockstep
