// The program's code, where it has to be changed.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

// Nobody may be running it; the threads of an execution take turns. False if the kernel does not let us.
// The pages stay writable: what is changed once is changed again.
bool write_code(uintptr_t address, const uint8_t* code, size_t size);
bool make_code_writable(uintptr_t begin, uintptr_t end);

}  // namespace lockstep::rt
