// Patches the program's code.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

// No other thread may be running the code; the threads of an execution take turns. False if the kernel refuses. The
// pages stay writable, because code that was patched once is patched again.
bool write_code(uintptr_t address, const uint8_t* code, size_t size);
bool make_code_writable(uintptr_t begin, uintptr_t end);

inline constexpr uint8_t kBreakpoint = 0xcc;  // int3
inline constexpr int64_t kTrapFlag = 0x100;   // of EFLAGS: single step
// The code must be writable.
inline void write_code_byte(uintptr_t address, uint8_t byte) { *reinterpret_cast<volatile uint8_t*>(address) = byte; }

}  // namespace lockstep::rt
