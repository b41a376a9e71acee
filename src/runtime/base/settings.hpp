// What an execution runs with, derived once from its plan and the channel (serve/settings.cpp).
#pragma once
#include "model/channel.hpp"
#include "model/plan.hpp"

namespace lockstep::rt {

struct Settings {
  const PlanHeader* plan;
  bool detects_races;    // in this execution
  bool skips_races;      // the program is checked for races, but not in this execution
  bool checks_locks;     // lock discipline
  bool keeps_origins;    // the call stacks in which blocks of the heap are asked for
  bool keeps_blocks;     // records of the heap's blocks
  bool watches_more;     // accesses matter to somebody besides the race detector
  bool only_tracks;      // nothing matters but tracked memory, so calls may be taken out of the code
  bool captures_output;  // for a person, or to be compared
};
inline constinit Settings settings{};

// What an execution lacks that only the process can give between executions; it starts over with it.
struct Missing {
  unsigned pool_threads;  // needed
  struct {
    char file[256];  // of a library that dlopen asked for
    int flags;
  } library;
  bool any() const { return pool_threads || library.file[0]; }
  void clear() { pool_threads = 0, library.file[0] = 0; }
};
inline constinit Missing missing{};

}  // namespace lockstep::rt
