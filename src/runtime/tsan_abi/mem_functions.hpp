// memcpy, memmove and memset as accesses to ranges.
#pragma once

namespace lockstep::rt {

void find_memory_functions();  // finds libc's versions (base/system.hpp)

}  // namespace lockstep::rt
