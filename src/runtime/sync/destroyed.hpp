// Objects that have no state of their own for it are marked when they are destroyed, for their address and no other;
// the next initialisation overwrites the mark.
#pragma once
#include <stdint.h>

namespace lockstep::rt {

inline uint64_t destroyed_mark(const void* object) {
  return reinterpret_cast<uint64_t>(object) * 0x9e3779b97f4a7c15ull | 1;
}

}  // namespace lockstep::rt
