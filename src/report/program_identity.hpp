// Tells whether a program is still the one a schedule was recorded with.
#pragma once
#include <cstdint>
#include <string>

namespace lockstep {

struct ProgramIdentity {
  std::string build_id;  // hex; empty if the linker wrote none
  uint64_t size = 0;
  int64_t mtime = 0;  // seconds

  bool known() const { return size != 0; }
};

// All zero if the file cannot be read.
ProgramIdentity identify_program(const std::string& path);

// Build ids decide if both have one; a rebuilt but equal program has not changed.
bool same_program(const ProgramIdentity& a, const ProgramIdentity& b);

}  // namespace lockstep
