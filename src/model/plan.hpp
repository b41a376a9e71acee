// What one execution is to do: a few deviations from the default schedule, and a policy for the rest.
//
// The default schedule keeps the running thread while it is enabled and has not yielded. Otherwise it takes the enabled
// thread with the smallest id above the running one (after a yield), or the smallest id. Data choices are 0. So any
// execution is the default one overridden at finitely many steps, and a plan is as long as its deviations, not as long
// as the execution.
//
// Sleep sets: from record `sleep_at` on, the threads in `sleep` are asleep. Only the default schedule respects this: it
// chooses as before, among the enabled threads that are not asleep. A sleeper wakes, and stays awake, when a delta
// makes it run, or when a step is executed that depends on its pending operation as it stood before that step. If
// threads are enabled but all of them are asleep, the execution ends with Outcome::Redundant.
#pragma once
#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

inline constexpr uint32_t kNoStep = 0xffff'ffff;

inline constexpr uint32_t kNoStepLimit = 0xffff'0000;  // the largest number of steps that can be numbered

// A delta for this step applies to the next decision, whichever record that is. Such deltas come last in a plan; each
// decision uses up one. A search that plans several decisions beyond any executed step cannot know the numbers of their
// records, because of the notes in between.
inline constexpr uint32_t kNextDecision = 0xffff'fffe;

// At record `step` of the trace take thread `value`, or data alternative `value` if that record is a Choose.
struct Delta {
  uint32_t step;
  uint16_t value;
  bool data = false;       // with kNextDecision: a data alternative is meant, otherwise a thread
  bool tentative = false;  // the last delta: if that thread cannot run, the execution is redundant
  bool operator==(const Delta&) const = default;
};
static_assert(sizeof(Delta) == 8, "wire format");

// How decisions without a delta (Random: after the last delta) are taken. RoundRobin is the default schedule, except
// that a thread that cannot run is followed by the next enabled one in cyclic order of ids. Pct, Pos and Surw are the
// random schedulers of these names (runtime/policies); data choices are uniform under every random policy. Guided
// follows a schedule as far as it can, then the default one; `extra` holds that schedule, or what Surw expects
// (model/policy_input.hpp). Blocks switches threads only between atomic blocks; from record `sleep_at` on some threads
// are stopped, as listed in `extra` (model/blocks.hpp). Priorities runs the enabled thread with the highest priority
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

// Records from `from` to before `to`.
struct RecordRange {
  uint32_t from, to;
  bool operator==(const RecordRange&) const = default;
};
static_assert(sizeof(RecordRange) == 8, "wire format");

struct Plan {
  uint64_t id = 0;            // echoed in the trace
  std::vector<Delta> deltas;  // strictly ascending by step, then those for kNextDecision
  Policy policy = Policy::Default;
  uint32_t policy_at = 0, policy_until = kNoStep;  // records to which it applies; elsewhere the default decides
  bool detail = false;                             // record stacks, capture output: for the execution shown to the user
  bool inspect = false;    // with detail: stop at every step, so that the driver can read memory (model/inspection.hpp)
  bool stacks = false;     // record only stacks: for ranks that use code positions
  bool origins = false;    // report where the used heap blocks were allocated (model/variable.hpp)
  bool whole = false;      // random policies: keep all records while there is room; otherwise only short ones
  bool survey = false;     // report the memory that each thread touched; find races in spite of `tracked`
  uint64_t seed = 0;       // of the random policies
  uint16_t pct_depth = 2;  // Pct: ordering constraints that a bug may need, at most kMaxPctDepth
  uint32_t pct_horizon = 0;    // Pct: expected number of decisions between several threads
  ObjectId focus = kNoObject;  // Surw: the object whose operations are ordered uniformly; none: all operations
  uint32_t max_steps = kNoStepLimit;
  uint32_t sleep_at = kNoStep;  // from this record on the threads in `sleep` are asleep
  std::vector<ThreadId> sleep;
  std::vector<uint64_t> extra;        // further input of the policy
  std::vector<TrackedRange> tracked;  // at most kMaxTracked
  // With detail: the records that have stacks and values, ascending; empty: all. Unwinding a stack takes a hundred
  // times as long as a step.
  std::vector<RecordRange> described;
};

// Wire format: PlanHeader, Delta[deltas], uint16_t sleep[sleepers], padding to 8, uint64_t extra[extra_words],
// TrackedRange[tracked], RecordRange[described].
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
  uint8_t reserved[3];
  uint32_t described;

  const Delta* delta_list() const { return reinterpret_cast<const Delta*>(this + 1); }
  const uint16_t* sleeper_list() const { return reinterpret_cast<const uint16_t*>(delta_list() + deltas); }
  const uint64_t* extra() const {
    const uint64_t sleep_bytes = (2ull * sleepers + 7) & ~7ull;
    return reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(sleeper_list()) + sleep_bytes);
  }
  const TrackedRange* tracked_list() const { return reinterpret_cast<const TrackedRange*>(extra() + extra_words); }
  const RecordRange* described_list() const { return reinterpret_cast<const RecordRange*>(tracked_list() + tracked); }
};
static_assert(sizeof(PlanHeader) == 80, "wire format");

uint32_t wire_size(const Plan& plan);
void write_wire(const Plan& plan, void* out);  // wire_size(plan) bytes

}  // namespace lockstep
