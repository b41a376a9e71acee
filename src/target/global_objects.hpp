// The addresses of the program's global variables, from the symbol tables of its modules.
#pragma once
#include <vector>

#include "model/plan.hpp"
#include "target/target.hpp"

namespace lockstep {

std::vector<TrackedRange> find_global_objects(const std::vector<Module>& modules);  // ascending

// The global variable that contains the address; size 0 if there is none.
TrackedRange global_object_at(const std::vector<TrackedRange>& objects, uint64_t address);

}  // namespace lockstep
