// Calls of the standard library that are one operation to their caller, however many steps they take: std::call_once,
// future::get, list::splice, the counts of shared_ptr.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "analysis/finding.hpp"

namespace lockstep {

struct LibraryCall {
  enum Kind : uint8_t { Operation, Container, Counts };  // Counts: of shared_ptr and weak_ptr
  std::string name;       // as the user would write it; empty: the step is no such call's
  std::string caller;     // where in the user's code; empty: nowhere
  std::string outermost;  // function of the library that the user calls, also of other calls: "atomic::wait"
  Kind kind = Operation;
};

LibraryCall library_call(std::span<const uint64_t> stack, Symbols& symbols);

}  // namespace lockstep
