// Who waits for whom at the end of an execution in which nobody could go on.
#pragma once
#include <string>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct WaitGraph {
  // `kind` is what the waiter wants to do: Lock, ReadLock, Join... A thread in a condition wait that nobody has
  // woken shows as CondWait on the condition variable; once woken it shows as Reacquire of the mutex.
  struct Edge {
    ThreadId waiter;
    ObjectId object;
    OpKind kind;
    std::vector<ThreadId> holders;  // empty if nobody in particular could end the wait
  };
  std::vector<Edge> edges;      // ascending by waiter
  std::vector<ThreadId> cycle;  // each waits for the next, the last for the first; empty if there is none
};

WaitGraph wait_graph(TraceView trace);

// "thread 1 waits for lock 0x10, held by thread 2; thread 2 waits for...": the cycle if there is one, else all.
std::string describe(const WaitGraph& graph);

}  // namespace lockstep
