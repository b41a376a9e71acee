// Where the program's global variables lie, by the symbol tables of its modules.
#pragma once
#include <vector>

#include "model/plan.hpp"
#include "target/target.hpp"

namespace lockstep {

std::vector<TrackedRange> find_global_objects(const std::vector<Module>& modules);  // ascending

// The one that contains the address; of size 0 if there is none.
TrackedRange global_object_at(const std::vector<TrackedRange>& objects, uint64_t address);

}  // namespace lockstep
