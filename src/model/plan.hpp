// What one execution shall do: a few deviations from the default schedule, and a policy for the rest.
//
// The default schedule keeps the running thread while it is enabled and has not yielded, otherwise takes the enabled
// thread with the smallest id above the running one (after a yield) or the smallest id at all; data choices are 0. So
// any execution is the default one overridden at finitely many steps, and a plan is as long as its deviations, not as
// long as the execution.
//
// Asleep threads: from record `sleep_at` on, the threads in `sleep` are asleep, which only the default schedule heeds:
// it chooses as before, among the enabled threads that are not asleep. A sleeper wakes for good when it is made to run
// by a delta, or when a step is executed that is dependent with its pending operation as it stood before that step.
// If somebody is enabled but everybody enabled is asleep, the execution ends with Outcome::SleepBlocked.
#pragma once
#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

inline constexpr uint32_t kNoStep = 0xffff'ffff;

// A delta for this step applies to the next decision, whichever record that is. Such deltas come last in a plan and are
// used up one per decision: whoever plans several decisions beyond what has ever been executed cannot know the numbers
// of their records, because of the notes in between.
inline constexpr uint32_t kNextDecision = 0xffff'fffe;

// At record `step` of the trace take thread `value`, or data alternative `value` if that record is a Choose.
struct Delta {
  uint32_t step;
  uint16_t value;
  uint16_t reserved = 0;
  bool operator==(const Delta&) const = default;
};
static_assert(sizeof(Delta) == 8, "wire format");

// How decisions without a delta (Random: after the last delta) are taken. RoundRobin is the default schedule except that
// a thread that cannot go on is followed by the next enabled one in cyclic order of ids.
enum class Policy : uint8_t { Default, Random, RoundRobin };

struct Plan {
  uint64_t id = 0;  // echoed in the trace
  std::vector<Delta> deltas;  // strictly ascending by step, then those for kNextDecision
  Policy policy = Policy::Default;
  bool detail = false;        // record stacks, capture output: for the execution that is shown to a person
  uint64_t seed = 0;          // of Policy::Random
  uint32_t max_steps = 1'000'000;
  uint32_t sleep_at = kNoStep;  // from this record on the threads in `sleep` are asleep
  std::vector<ThreadId> sleep;
};

// Wire format: PlanHeader, Delta[deltas], uint16_t sleep[sleepers], padding to 8.
struct PlanHeader {
  uint32_t bytes;
  uint32_t deltas;
  uint64_t id, seed;
  uint32_t max_steps, sleep_at, sleepers;
  Policy policy;
  uint8_t detail;
  uint16_t reserved;
};
static_assert(sizeof(PlanHeader) == 40, "wire format");

uint32_t wire_size(const Plan& plan);
void write_wire(const Plan& plan, void* out);  // wire_size(plan) bytes

}  // namespace lockstep
