// Records the accesses of library functions to the program's memory, at the place of the call.
#pragma once
#include "runtime/checks/accesses.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {

// One call, if the program made it and accesses are monitored. Calls by libraries and by the runtime are ignored.
class Look {
 public:
  explicit Look(const void* caller) : caller_(caller), on_(watched() && !from_library(caller)) {}
  explicit operator bool() const { return UNLIKELY(on_); }
  void reads(const void* p, size_t size) const {
    if (UNLIKELY(on_)) range_access(p, size, RaceAccess::kRange, caller_);
  }
  void writes(const void* p, size_t size) const {
    if (UNLIKELY(on_)) range_access(p, size, kRangeWrite, caller_);
  }
  void reads_string(const char* p) const { reads(p, length(p) + 1); }
  void reads_string(const char* p, size_t most) const {
    size_t size = 0;
    while (size < most && p[size]) ++size;
    reads(p, size < most ? size + 1 : most);
  }

 private:
  const void* caller_;
  bool on_;
};
#define LOCKSTEP_LOOK const ::lockstep::rt::Look look(__builtin_return_address(0))

}  // namespace lockstep::rt
