// Finds synchronisation that is not seen: atomic instructions in uninstrumented code or assembler. In a program with
// such code, accesses that seem unordered may be ordered. Instructions that are followed
// (target/locked_instructions.hpp) are seen.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "target/target.hpp"

namespace lockstep {

// Offset of the first instruction that can pass data to another thread, decoding x86-64 code from its start:
// compare-and-exchange, exchange with memory, locked logic, a full fence. Locked additions are left out, because they
// usually only count: reference counts are in every library. nullopt: none.
std::optional<size_t> find_atomic_instruction(std::span<const uint8_t> code);

// The first such code in the program's own modules (not the C and C++ libraries), as "spin_lock in prog" or
// "libtbb.so.12"; empty if there is none.
std::string invisible_synchronisation(const std::vector<Module>& modules);

bool is_system_library(const std::string& path);  // the C and C++ libraries, and the runtime

}  // namespace lockstep
