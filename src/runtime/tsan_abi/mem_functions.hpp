#pragma once

namespace lockstep::rt {

void find_memory_functions();  // of libc (base/system.hpp)

}  // namespace lockstep::rt
