// Does a function touch memory that threads could share? Read from its x86-64 code.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

namespace lockstep {

struct MemoryUseOptions {
  std::function<bool(uint64_t)> constant;  // is this address never written?
  // Reads through a register are taken for reads of a constant table if the function takes the address of one.
  bool trust_tables = false;
  // The function comes from an instrumented unit, so that what it calls is judged by itself. Its frame counts only
  // where it accesses the very place whose address it takes; its result in memory is its own until it returns.
  bool judges_callees = false;
  bool throws = false;  // writes through %rax fill in an exception
};

// False only if it is certain that the function, whose code begins at `address`, accesses nothing but registers, its
// own frame, thread-local storage and constants, and passes no address of its frame on. What cannot be decoded is
// certain of nothing.
bool may_touch_shared_memory(std::span<const uint8_t> code, uint64_t address, const MemoryUseOptions& options);

}  // namespace lockstep
