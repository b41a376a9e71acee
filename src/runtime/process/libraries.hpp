// Whose code an address belongs to: the program's, the runtime's, or that of the C and C++ libraries, whose own
// synchronisation is not seen.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct Libraries {
  uintptr_t unwinder_begin, unwinder_size;  // code of libgcc_s
  uintptr_t begin, size;                    // from the first of the C and C++ libraries to the end of the last
  struct Range {
    uintptr_t begin, end;
  } own_code;  // of the runtime
  static constexpr unsigned kMost = 32;
  Range code[kMost];
  unsigned count;
};
inline constinit Libraries libraries{};
void find_libraries();
const char* base_name(const char* path);
bool is_system_module(const char* path);  // libc, libstdc++, ld.so, the runtime...

bool lies_in_library(const void* code);
bool is_library_code(const void* code);  // any address in the code of those, of the runtime or of the vDSO
bool is_own_code(uintptr_t pc);          // the runtime's

// Calls from the unwinder are not the program's synchronisation: they take effect without a scheduling point, and since
// no thread is switched out inside it, they never block.
inline bool from_unwinder(const void* caller) {
  return UNLIKELY(reinterpret_cast<uintptr_t>(caller) - libraries.unwinder_begin < libraries.unwinder_size);
}
// Libraries lie together, far from the program: one comparison for nearly every call.
inline bool maybe_library(const void* caller) {
  return reinterpret_cast<uintptr_t>(caller) - libraries.begin < libraries.size;
}
inline bool from_library(const void* caller) { return UNLIKELY(maybe_library(caller)) && lies_in_library(caller); }
extern const Module libraries_module;

}  // namespace lockstep::rt
