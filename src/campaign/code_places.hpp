// Return addresses as offsets in files, which are valid in another process, and back.
#pragma once
#include <cstdint>
#include <vector>

#include "report/schedule_file.hpp"
#include "target/target.hpp"

namespace lockstep {

std::vector<CodePlace> places_of(const std::vector<Module>& modules, const std::vector<uint64_t>& addresses);
std::vector<uint64_t> addresses_of(const std::vector<Module>& modules, const std::vector<CodePlace>& places);

}  // namespace lockstep
