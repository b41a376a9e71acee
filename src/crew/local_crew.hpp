// Workers of this machine that explore units of a search: each is a process with a search, and a target of one worker
// process for the program. What it finds out travels through a socket, a unit at a time, so one that is killed has
// done nothing: its unit is explored by another.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "search/exploration/unit_result.hpp"
#include "target/target.hpp"

namespace lockstep {

struct CrewOptions {
  unsigned workers = 1;
  // Called in the process of the worker.
  std::function<void()> begin;                                                                   // first of all
  std::function<std::unique_ptr<Target>(std::vector<ThreadTable::Entry> threads)> start_target;  // nullptr: it cannot
  std::function<std::unique_ptr<Search>()> make_search;
  UnitSettings settings;
};

// `target`: the coordinator's own, which is given what the program shows elsewhere. nullptr: there is no room for more
// processes or descriptors.
std::unique_ptr<Crew> start_local_crew(const CrewOptions& options, Target& target);

}  // namespace lockstep
