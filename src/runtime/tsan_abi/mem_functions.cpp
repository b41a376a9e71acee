// memcpy, memmove and memset of instrumented code: compilers leave them as calls, so they are recorded here as accesses
// to ranges. Calls that libraries make for themselves are ignored.
#include "runtime/tsan_abi/mem_functions.hpp"

#include <dlfcn.h>

#include "runtime/checks/accesses.hpp"
#include "runtime/process/libraries.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace lockstep::rt {
namespace {

bool looked_at(const void* caller) { return watched() && !from_library(caller); }

}  // namespace

void find_memory_functions() {
  memory_functions.copy = reinterpret_cast<decltype(memory_functions.copy)>(dlsym(RTLD_NEXT, "memcpy"));
  memory_functions.move = reinterpret_cast<decltype(memory_functions.move)>(dlsym(RTLD_NEXT, "memmove"));
  memory_functions.set = reinterpret_cast<decltype(memory_functions.set)>(dlsym(RTLD_NEXT, "memset"));
}

}  // namespace lockstep::rt

LOCKSTEP_EXPORT void* memcpy(void* to, const void* from, size_t size) {
  if (looked_at(__builtin_return_address(0))) {
    range_access(from, size, kRangeRead, __builtin_return_address(0));
    range_access(to, size, kRangeWrite, __builtin_return_address(0));
  }
  return memory_functions.copy(to, from, size);
}
LOCKSTEP_EXPORT void* memmove(void* to, const void* from, size_t size) {
  if (looked_at(__builtin_return_address(0))) {
    range_access(from, size, kRangeRead, __builtin_return_address(0));
    range_access(to, size, kRangeWrite, __builtin_return_address(0));
  }
  return memory_functions.move(to, from, size);
}
LOCKSTEP_EXPORT void* memset(void* to, int value, size_t size) {
  if (looked_at(__builtin_return_address(0))) range_access(to, size, kRangeWrite, __builtin_return_address(0));
  return memory_functions.set(to, value, size);
}
