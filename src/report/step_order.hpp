// Relations between the steps of a trace: how long a lock is held, what ends a wait, and which steps of different
// threads cannot be swapped.
#pragma once
#include <cstdint>
#include <vector>

#include "model/trace.hpp"
#include "report/story_rows.hpp"

namespace lockstep {

inline constexpr uint32_t kNever = 0xffff'ffff;

struct Hold {
  ThreadId thread;
  ObjectId object;
  uint32_t first, last;  // steps; kNever: held at the end
  bool shared;           // for reading
};
std::vector<Hold> lock_holds(TraceView trace);

struct OrderEdge {
  enum Kind : uint8_t {
    Conflict,  // both access an object, one writes it
    Wake,      // a signal and the thread that it woke
    Start,     // create and the thread's first step
    End,       // the thread's last step and the join
  };
  uint32_t from, to;  // steps of different threads
  Kind kind;
};
// For each step, the newest steps of other threads that it depends on; ascending by `to`.
std::vector<OrderEdge> order_edges(TraceView trace);

struct Wait {
  ThreadId thread;
  uint32_t first, last;  // rows: start of the wait, and the thread's next row; kNever: the wait does not end
  uint32_t ended_by;     // row; kNever: no particular thread, or a timeout
};
std::vector<Wait> waits_of(const std::vector<StoryRow>& rows, TraceView trace);

}  // namespace lockstep
