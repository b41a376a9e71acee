// Synchronisation that nobody sees: atomic instructions in code that was compiled without instrumentation, or written
// in assembler. Where a program has such code, two accesses that look unordered may be ordered by it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "target/target.hpp"

namespace lockstep {

// Offset of the first instruction that can hand something over to another thread, looking at x86-64 code from its
// start: compare-and-exchange, exchange with memory, locked logic, a full fence. Locked additions only count something:
// reference counts are in every library. nullopt: none.
std::optional<size_t> find_atomic_instruction(std::span<const uint8_t> code);

// The first such code among the program's own modules (not the C and C++ libraries), as "spin_lock in prog" or
// "libtbb.so.12"; empty if all synchronisation is seen.
std::string invisible_synchronisation(const std::vector<Module>& modules);

bool is_system_library(const std::string& path);  // the C and C++ libraries, and the runtime

}  // namespace lockstep
