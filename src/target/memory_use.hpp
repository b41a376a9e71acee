// Determines from x86-64 code whether a function may touch memory that threads could share.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

namespace lockstep {

struct MemoryUseOptions {
  std::function<bool(uint64_t)> constant;  // is the memory at this address never written?
  // Treat reads through a register as reads of a constant table if the function takes the address of one.
  bool trust_tables = false;
  // The function comes from an instrumented unit, so the functions that it calls are judged separately. Its frame
  // counts only if it accesses a place whose address it takes. Its result in memory is private until it returns.
  // Its atomic instructions are followed (target/locked_instructions.hpp).
  bool judges_callees = false;
  bool throws = false;  // writes through %rax initialise an exception
};

// False only if the function, whose code begins at `address`, certainly accesses nothing but registers, its own frame,
// thread-local storage and constants, and passes on no address of its frame. True if an instruction cannot be decoded.
bool may_touch_shared_memory(std::span<const uint8_t> code, uint64_t address, const MemoryUseOptions& options);

}  // namespace lockstep
