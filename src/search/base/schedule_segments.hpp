// A schedule as a list of segments: a thread runs for N steps, then another. Shrinking edits the list; the runtime
// follows it as far as possible (Policy::Guided).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/plan.hpp"
#include "model/policy_input.hpp"
#include "model/trace.hpp"

namespace lockstep {

struct ScheduleSegments : GuidedSchedule {
  size_t size() const { return segments.size(); }
  size_t next_of_thread(size_t i) const;  // size() if the thread has no further segment

  ScheduleSegments without_choice(size_t i) const;
  ScheduleSegments first(size_t count) const;  // the default schedule continues after them
  ScheduleSegments without(size_t i) const;
  ScheduleSegments extended(size_t i) const;  // the thread runs until it is blocked, where a switch is free
  ScheduleSegments moved(size_t from, size_t to) const;
  ScheduleSegments joined(size_t i, size_t j) const;  // moves the steps of segment j into i
  // Joins the segments of each thread from begin to end into one, in the order of their first or last turns.
  enum class Turn { First, Last };
  ScheduleSegments coalesced(size_t begin, size_t end, Turn turn) const;

 private:
  template <class Edit>
  ScheduleSegments edited(Edit&& edit) const;
};

ScheduleSegments segments_of(TraceView trace);
Plan plan_for(const ScheduleSegments& schedule, uint32_t max_steps);
uint64_t hash_of(std::span<const uint64_t> words);
uint64_t hash_of(std::span<const Delta> deltas);

}  // namespace lockstep
