// Finds the modules of a process that only Lockstep itself needs. With explore(), liblockstep.so and the libraries it
// loads are in the process of the test, and so in its workers.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace lockstep {

// Of these paths, those that only Lockstep needs. A library that the program or a plug-in needs as well is not
// included.
std::set<std::string> modules_of_lockstep(const std::vector<std::string>& paths);

}  // namespace lockstep
