// A condition variable has no state of its own here: its queue is the set of threads whose pending Reacquire names it
// and who have not been woken.
#pragma once
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

inline bool waits_on(const Thread& t, const void* condition) { return t.queue == condition && !t.woken; }

}  // namespace lockstep::rt
