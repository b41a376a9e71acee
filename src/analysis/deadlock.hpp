// The wait-for graph at the end of an execution in which no thread is enabled.
#pragma once
#include <string>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct WaitGraph {
  // `kind` is the operation that the waiter is blocked in: Lock, ReadLock, Join... A thread in a condition wait that
  // has not been signalled has CondWait on the condition variable; once signalled it has Reacquire of the mutex.
  struct Edge {
    ThreadId waiter;
    ObjectId object;
    OpKind kind;
    std::vector<ThreadId> holders;  // empty if no particular thread could end the wait
  };
  std::vector<Edge> edges;      // ascending by waiter
  std::vector<ThreadId> cycle;  // each waits for the next, the last for the first; empty if there is none
};

WaitGraph wait_graph(TraceView trace);

// "thread 1 waits for lock 0x10, held by thread 2; thread 2 waits for...": the cycle if there is one, otherwise all
// waits.
std::string describe(const WaitGraph& graph);

}  // namespace lockstep
