// Random numbers for the program, from the running thread's stream.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

uint64_t draw();
void draw_bytes(void* out, size_t size);

}  // namespace lockstep::rt
