// The place of a variable: evaluates DWARF location expressions in a frame. Private to the symbols library.
#pragma once
#include <elfutils/libdw.h>
#include <cstdint>
#include <optional>

#include "target/process_memory.hpp"
#include "target/stack_frames.hpp"

namespace lockstep::debug_info {

// In memory, or a value only (in a register, or computed).
struct Place {
  bool in_memory = true;
  uint64_t value = 0;  // the address, or the value itself
};

struct FrameContext {
  const StackFrame& frame;
  const ProcessMemory& memory;
  Dwarf_Addr bias;      // of the module
  Dwarf_Die* function;  // the function that is not inlined, for its frame base
};

// nullopt: the variable has no place here, or its expression is not supported.
std::optional<Place> place_of(Dwarf_Die* variable, const FrameContext& context);

}  // namespace lockstep::debug_info
