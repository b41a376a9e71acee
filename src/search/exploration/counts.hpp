// What an exploration counts of its executions, and the verdict that follows.
#pragma once
#include "search/base/saved_state.hpp"
#include "search/exploration/explorer.hpp"

namespace lockstep {

// What is counted of an execution: all that is kept of most.
struct ExecutionSummary {
  uint64_t fingerprint = 0;
  uint32_t preemptions = 0, decisions = 0, threads = 0;
  Outcome outcome{};
  uint8_t raced = 0, without_race_detection = 0, cut_for_memory = 0;
  uint8_t counts = 0;         // as a trace
  uint8_t unknown_trace = 0;  // it used too many objects to tell it from others
  bool operator==(const ExecutionSummary&) const = default;
};

ExecutionSummary summary_of(TraceView trace);  // without what a search or a meter has to tell
void count(const ExecutionSummary& execution, Exploration& sum);
void count_preemptions_of(uint32_t preemptions, std::vector<uint64_t>& counts);
void save_counts(StateWriter& out, const Exploration& sum);
void load_counts(StateReader& in, Exploration& sum);

// One thread that ended without a choice: whatever the strategy, there is no other execution.
bool has_no_choices(TraceView trace);
Verdict verdict_of(const Exploration& result);

}  // namespace lockstep
