// Marks of destroyed objects, for objects that have no state of their own for this. A mark is valid only at the address
// of its object; the next initialisation overwrites it.
#pragma once
#include <stdint.h>

namespace lockstep::rt {

inline uint64_t destroyed_mark(const void* object) {
  return reinterpret_cast<uint64_t>(object) * 0x9e3779b97f4a7c15ull | 1;
}

}  // namespace lockstep::rt
