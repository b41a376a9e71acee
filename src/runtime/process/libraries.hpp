// Classifies code addresses: code of the program, of the runtime, or of the C and C++ libraries, whose own
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
  } own_code;  // code of the runtime
  static constexpr unsigned kMost = 32;
  Range code[kMost];
  unsigned count;
};
inline constinit Libraries libraries{};
void find_libraries();
const char* base_name(const char* path);
bool is_system_module(const char* path);  // libc, libstdc++, ld.so, the runtime...

bool lies_in_library(const void* code);
bool is_library_code(const void* code);  // any address in the code of these libraries, of the runtime or of the vDSO
bool is_own_code(uintptr_t pc);          // code of the runtime

// Calls from the unwinder are not synchronisation of the program. They take effect without a scheduling point. They
// never block, because no thread is switched out inside the unwinder.
inline bool from_unwinder(const void* caller) {
  return UNLIKELY(reinterpret_cast<uintptr_t>(caller) - libraries.unwinder_begin < libraries.unwinder_size);
}
// Libraries are adjacent and far from the program: one comparison decides nearly every call.
inline bool maybe_library(const void* caller) {
  return reinterpret_cast<uintptr_t>(caller) - libraries.begin < libraries.size;
}
inline bool from_library(const void* caller) { return UNLIKELY(maybe_library(caller)) && lies_in_library(caller); }
extern const Module libraries_module;

}  // namespace lockstep::rt
