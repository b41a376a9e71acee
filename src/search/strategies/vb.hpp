// Variable bounding (Bindal, Bansal & Lal 2013, sections 2 and 5): for every set of a few shared variables, all
// executions with a few preemptions, all of them at accesses to these variables; optionally only orders of a few
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
  std::optional<uint32_t> thread_bound{};     // whose order matters at most; none: all threads, if they are few
  std::optional<uint32_t> loop_iterations{};  // of memory allocated in loops: up to this iteration, from 0; none: all
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  bool by_preemptions = false;  // the number of preemptions grows before that of variables
  bool whole_blocks = false;    // a block of the heap is one variable, not each of its elements
  // Every execution shows which variables are shared; otherwise only the first few do, and the others are faster.
  bool survey = true;
  PointsAt focus{};       // variables to begin with
  GlobalAt globals{};     // with whole_blocks: globals are one variable each, too
  double epsilon = 0.01;  // of a thread bound: with what probability orders may be missed
};

std::unique_ptr<Search> make_vb(const VbOptions& options);

}  // namespace lockstep
