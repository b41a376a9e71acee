// Predicts deadlocks of locks that no order of whole blocks reaches, because each thread stops inside its block.
//
// Until its end a block only takes locks and accesses protected data. So threads that can begin their blocks in the
// same state, each up to a lock that it waits for, can do so one after the other, unless they take the same locks. If
// each waits for a lock that the next one holds, that is a deadlock. Every deadlock that is not also the end of an
// order of whole blocks is found like this. The reverse lock chains of the paper (Bruening & Chapin 2000, section 6.1)
// use only the last lock exit of a thread, and miss locks that are not released in reverse order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/finding.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/blocks/held_locks.hpp"

namespace lockstep {

// A point inside a block where the thread may have to wait for a lock or for the end of a thread.
struct LockWait {
  uint32_t steps = 0;  // of the block, before the wait
  ObjectId wanted = kNoObject;
  bool exclusive = true;
  std::vector<HeldLock> held{};
  std::vector<uint16_t> choices{};  // among those steps
};

struct ThreadWaits {
  ThreadId thread;
  std::vector<LockWait> waits;
};

struct PredictedDeadlock {
  std::vector<LockNesting> cycle;  // `thread` holds `held` and waits for `wanted`
  std::vector<uint64_t> schedule;  // the schedule that reaches the deadlock, as GuidedSchedule::words()
};

// The points where the thread of this block, with records [begin, end), may have to wait. `held`: before the block.
std::vector<LockWait> waits_in_block(TraceView trace, const BlockRecord& block, uint32_t end, HeldLocks held);

// Adds threads that are not in `known` and may have to wait immediately, at record `begin`.
void add_next_waits(TraceView trace, uint32_t begin, HeldLocks& held, std::vector<ThreadWaits>& known);

// Does any thread of the execution wait while it holds a lock?
bool nests_locks(TraceView trace, HeldLocks held);

// The cycles that contain the last one of `threads`, up to a limit. All blocks begin at record `begin`.
std::vector<PredictedDeadlock> predict_deadlocks(TraceView trace, uint32_t begin, std::span<const ThreadWaits> threads);

}  // namespace lockstep
