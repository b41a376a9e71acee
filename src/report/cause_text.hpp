// The cause of a failure in words: the orders of steps it depends on, and the nearest execution that passes.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "report/trace_names.hpp"

namespace lockstep {

// How to refer to a step: "step 4", or its operation and place.
using StepReference = std::function<std::string(uint32_t step)>;

// "Fails because step 1 comes before step 4 and step 4 before step 9: reversing either passes."; empty: no cause was
// searched.
std::string cause_sentence(const Cause& cause, const TraceNames& names, const StepReference& reference);

// "Nearest passing schedule: the same up to step 3, but instead of thread 1 there thread 2 goes on with step 5.";
// empty: none passed.
std::string nearest_passing(const Cause& cause, const TraceNames& names, const StepReference& reference);

// "lock m_ of thread 1 (pool.hpp:14)"; pending operations have the numbers after the steps.
std::string step_in_words(uint32_t step, const TraceNames& names);

// Fills in the texts for documents: Cause::text and NeededOrder::told_first, told_second.
void explain_cause(Finding& finding, Symbols& symbols);

}  // namespace lockstep
