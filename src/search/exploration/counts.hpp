// The counts of an exploration, and the verdict that follows from them.
#pragma once
#include "search/base/saved_state.hpp"
#include "search/exploration/explorer.hpp"

namespace lockstep {

// The counted properties of an execution: all that is kept of most executions.
struct ExecutionSummary {
  uint64_t fingerprint = 0;
  uint32_t preemptions = 0, decisions = 0, threads = 0;
  Outcome outcome{};
  uint8_t raced = 0, without_race_detection = 0, cut_for_memory = 0;
  uint8_t counts = 0;         // as a trace
  uint8_t unknown_trace = 0;  // it used too many objects to tell it from others
  bool operator==(const ExecutionSummary&) const = default;
};

ExecutionSummary summary_of(TraceView trace);  // without what only a search or a meter knows
void count(const ExecutionSummary& execution, Exploration& sum);
void count_preemptions_of(uint32_t preemptions, std::vector<uint64_t>& counts);
void save_counts(StateWriter& out, const Exploration& sum);
void load_counts(StateReader& in, Exploration& sum);

// True if one thread ran and no decision had an alternative: there is no other execution, whatever the strategy.
bool has_no_choices(TraceView trace);
Verdict verdict_of(const Exploration& result);

}  // namespace lockstep
