// Deadlocks of locks that no order of whole blocks runs into, because each thread stops in the middle of its block.
//
// Until its end a block only takes locks and touches what they protect. So if threads could begin their blocks from the
// same state, each up to a lock that it waits for, without taking the same locks, they can do so one after the other;
// and if each waits for what the next one holds, that is a deadlock. Every deadlock that is not also the end of an
// order of whole blocks is found like this. The reverse lock chains of the paper (Bruening & Chapin 2000, section 6.1)
// see only what the last lock exit of a thread shows, and miss locks that are not released in reverse order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/finding.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/blocks/held_locks.hpp"

namespace lockstep {

// A thread in the middle of its block, where it may have to wait for a lock or for the end of a thread.
struct LockWait {
  uint32_t steps = 0;  // of the block, before it waits
  ObjectId wanted = kNoObject;
  bool exclusive = true;
  std::vector<HeldLock> held{};
  std::vector<uint16_t> choices{};  // data choices of those steps
};

struct ThreadWaits {
  ThreadId thread;
  std::vector<LockWait> waits;
};

struct PredictedDeadlock {
  std::vector<LockNesting> cycle;  // `thread` holds `held` and waits for `wanted`
  std::vector<uint64_t> schedule;  // the schedule that leads there, as GuidedSchedule::words()
};

// Where the thread of this block, whose records are [begin, end), may have to wait in it. `held`: before the block.
std::vector<LockWait> waits_in_block(TraceView trace, const BlockRecord& block, uint32_t end, HeldLocks held);

// Where a thread that is not in `known` may have to wait at once, at record `begin`.
void add_next_waits(TraceView trace, uint32_t begin, HeldLocks& held, std::vector<ThreadWaits>& known);

// Does any thread of the execution wait for something while it holds a lock?
bool nests_locks(TraceView trace, HeldLocks held);

// All cycles that the last one of `threads` is part of, a few at most. All begin their blocks at record `begin`.
std::vector<PredictedDeadlock> predict_deadlocks(TraceView trace, uint32_t begin, std::span<const ThreadWaits> threads);

}  // namespace lockstep
