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
// If somebody is enabled but everybody enabled is asleep, the execution ends with Outcome::Redundant.
#pragma once
#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

inline constexpr uint32_t kNoStep = 0xffff'ffff;

inline constexpr uint32_t kNoStepLimit = 0xffff'0000;  // as many as can be numbered

// A delta for this step applies to the next decision, whichever record that is. Such deltas come last in a plan and are
// used up one per decision: whoever plans several decisions beyond what has ever been executed cannot know the numbers
// of their records, because of the notes in between.
inline constexpr uint32_t kNextDecision = 0xffff'fffe;

// At record `step` of the trace take thread `value`, or data alternative `value` if that record is a Choose.
struct Delta {
  uint32_t step;
  uint16_t value;
  bool data = false;       // with kNextDecision: a data alternative is meant, otherwise a thread
  bool tentative = false;  // the last delta: if that thread cannot go on there is nothing to be seen this way
  bool operator==(const Delta&) const = default;
};
static_assert(sizeof(Delta) == 8, "wire format");

// How decisions without a delta (Random: after the last delta) are taken. RoundRobin is the default schedule except
// that a thread that cannot go on is followed by the next enabled one in cyclic order of ids. Pct, Pos and Surw are the
// random schedulers of those names; data choices are uniform under every random policy. Guided follows a
// schedule as far as it can, then the default one; that, and what Surw expects, is in `extra` (model/policy_input.hpp).
// Under Blocks threads are switched only between atomic blocks; from record `sleep_at` on some are stopped, as `extra`
// says (model/blocks.hpp). Under Priorities the enabled thread with the highest priority runs
// (runtime/policies/priorities.hpp).
enum class Policy : uint8_t { Default, Random, RoundRobin, Pct, Pos, Guided, Blocks, Priorities, Surw };
constexpr bool is_random(Policy p) {
  return p == Policy::Random || p == Policy::Pct || p == Policy::Pos || p == Policy::Surw;
}
inline constexpr unsigned kMaxPctDepth = 64;

// Memory whose plain accesses are scheduling points in this execution.
struct TrackedRange {
  uint64_t address, size;
  bool contains(uint64_t a) const { return a - address < size; }
  bool operator==(const TrackedRange&) const = default;
};
static_assert(sizeof(TrackedRange) == 16, "wire format");
inline constexpr unsigned kMaxTracked = 1024;

struct Plan {
  uint64_t id = 0;            // echoed in the trace
  std::vector<Delta> deltas;  // strictly ascending by step, then those for kNextDecision
  Policy policy = Policy::Default;
  uint32_t policy_at = 0, policy_until = kNoStep;  // records to which it applies; others follow the default schedule
  bool detail = false;     // record stacks, capture output: for the execution that is shown to a person
  bool inspect = false;    // with detail: stop at every step, so that the driver can read memory (model/inspection.hpp)
  bool stacks = false;     // record stacks, nothing else: for ranks that look at code
  bool origins = false;    // report where the heap's blocks came from that were used (model/variable.hpp)
  bool whole = false;      // random policies: keep all records, as far as there is room; otherwise only of short ones
  bool survey = false;     // report what memory each thread touched beside others; look for races in spite of `tracked`
  uint64_t seed = 0;       // of the random policies
  uint16_t pct_depth = 2;  // Pct: ordering constraints that a bug may need, up to kMaxPctDepth
  uint32_t pct_horizon = 0;    // Pct: decisions between several threads that are expected
  ObjectId focus = kNoObject;  // Surw: the object whose operations are ordered uniformly; none: all operations are
  uint32_t max_steps = kNoStepLimit;
  uint32_t sleep_at = kNoStep;  // from this record on the threads in `sleep` are asleep
  std::vector<ThreadId> sleep;
  std::vector<uint64_t> extra;        // what the policy needs besides
  std::vector<TrackedRange> tracked;  // at most kMaxTracked
};

// Wire format: PlanHeader, Delta[deltas], uint16_t sleep[sleepers], padding to 8, uint64_t extra[extra_words],
// TrackedRange[tracked].
struct PlanHeader {
  uint32_t bytes;
  uint32_t deltas;
  uint64_t id, seed;
  uint32_t max_steps, sleep_at, sleepers;
  Policy policy;
  uint8_t detail;
  uint16_t pct_depth;
  uint32_t pct_horizon;
  uint8_t stacks;
  uint8_t origins;
  uint8_t survey;
  uint8_t whole;
  uint32_t extra_words;
  uint32_t tracked;
  ObjectId focus;
  uint32_t policy_at, policy_until;
  uint8_t inspect;
  uint8_t reserved[7];

  const Delta* delta_list() const { return reinterpret_cast<const Delta*>(this + 1); }
  const uint16_t* sleeper_list() const { return reinterpret_cast<const uint16_t*>(delta_list() + deltas); }
  const uint64_t* extra() const {
    const uint64_t sleep_bytes = (2ull * sleepers + 7) & ~7ull;
    return reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(sleeper_list()) + sleep_bytes);
  }
  const TrackedRange* tracked_list() const { return reinterpret_cast<const TrackedRange*>(extra() + extra_words); }
};
static_assert(sizeof(PlanHeader) == 80, "wire format");

uint32_t wire_size(const Plan& plan);
void write_wire(const Plan& plan, void* out);  // wire_size(plan) bytes

}  // namespace lockstep
