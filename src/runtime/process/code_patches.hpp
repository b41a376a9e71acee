// The program's code, where it has to be changed.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

// Nobody may be running it; the threads of an execution take turns. False if the kernel does not let us.
// The pages stay writable: what is changed once is changed again.
bool write_code(uintptr_t address, const uint8_t* code, size_t size);
bool make_code_writable(uintptr_t begin, uintptr_t end);

inline constexpr uint8_t kBreakpoint = 0xcc;  // int3
inline constexpr int64_t kTrapFlag = 0x100;   // of EFLAGS: single steps
// Into code that is writable.
inline void write_code_byte(uintptr_t address, uint8_t byte) { *reinterpret_cast<volatile uint8_t*>(address) = byte; }

}  // namespace lockstep::rt
