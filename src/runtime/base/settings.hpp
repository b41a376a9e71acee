// The settings of an execution, derived once from its plan and the channel (serve/modules.cpp).
#pragma once
#include "model/channel.hpp"
#include "model/plan.hpp"

namespace lockstep::rt {

struct Settings {
  const PlanHeader* plan;
  bool detects_races;    // in this execution
  bool skips_races;      // the program is checked for races, but not in this execution
  bool checks_locks;     // check lock discipline
  bool keeps_origins;    // record the call stacks that allocate heap blocks
  bool keeps_blocks;     // record heap blocks
  bool watches_more;     // not only the race detector needs accesses
  bool only_tracks;      // only tracked memory matters, so calls may be removed from the code
  bool captures_output;  // for the user, or to be compared
};
inline constinit Settings settings{};

// Needs of an execution that the process can meet only between executions. The execution then starts over.
struct Missing {
  unsigned pool_threads;  // required size of the pool
  struct {
    char file[256];  // of a library that dlopen asked for
    int flags;
  } library;
  bool any() const { return pool_threads || library.file[0]; }
  void clear() { pool_threads = 0, library.file[0] = 0; }
};
inline constinit Missing missing{};

}  // namespace lockstep::rt
