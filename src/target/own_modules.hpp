// Which of a process's modules are there for Lockstep itself: with explore(), liblockstep.so and what it loads live in
// the process of the test, and so in its workers.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace lockstep {

// Of these paths, those that only Lockstep needs. A library that the program or a plug-in needs too is not among them.
std::set<std::string> modules_of_lockstep(const std::vector<std::string>& paths);

}  // namespace lockstep
