// Atomic instructions in the program's own instrumented code: inline assembler, and functions that their source
// excludes from instrumentation. The runtime executes them as atomic operations
// (runtime/checks/locked_instructions.hpp).
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "model/channel.hpp"
#include "target/x86_instruction.hpp"

namespace lockstep {

// The instruction that ends before `end`; nullopt: it is not atomic, or the runtime cannot follow it.
std::optional<LockedInstruction> locked_instruction(const Instruction& instruction, uint64_t end);

// Those of a function, decoded from its start at `address`, without fences.
std::vector<LockedInstruction> locked_instructions(std::span<const uint8_t> code, uint64_t address);

}  // namespace lockstep
