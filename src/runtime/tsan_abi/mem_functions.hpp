#pragma once

namespace lockstep::rt {

void find_memory_functions();  // libc's, for real_memcpy and its like (base/system.hpp)

}  // namespace lockstep::rt
