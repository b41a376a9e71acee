// Instructions that give every execution other values: rdrand and rdseed, which nothing can intercept, and rdtsc and
// rdtscp where the kernel does not let us. Found in the program's code before it runs.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "model/fact.hpp"
#include "target/target.hpp"

namespace lockstep {

struct ChanceInstructions {
  std::vector<size_t> random;   // where rdrand and rdseed end
  std::vector<size_t> counter;  // where rdtsc and rdtscp end
};
// In x86-64 code, walked through from its start.
ChanceInstructions find_chance_instructions(std::span<const uint8_t> code);

// In the program's own modules, function by function; places are addresses in the program, behind the instruction.
std::set<Fact> chance_facts(const std::vector<Module>& modules, bool counter_is_controlled);

}  // namespace lockstep
