// Tells whether a program is still the one a schedule was recorded with.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace lockstep {

struct ProgramIdentity {
  std::string build_id;  // hex; empty if the linker wrote none
  uint64_t size = 0;
  int64_t mtime = 0;  // seconds

  bool known() const { return size != 0; }
};

// All zero if the file cannot be read.
ProgramIdentity identify_program(const std::string& path);

// Notices that the file of a program is replaced while the program is explored. Looks a few times a second at most.
class ProgramWatch {
 public:
  explicit ProgramWatch(std::string path) : path_(std::move(path)), began_(identify_program(path_)) {}
  bool was_replaced();

 private:
  std::string path_;
  ProgramIdentity began_;
  std::chrono::steady_clock::time_point looked_{};
  bool replaced_ = false;
};

// Build ids decide if both have one; a rebuilt but equal program has not changed.
bool same_program(const ProgramIdentity& a, const ProgramIdentity& b);

}  // namespace lockstep
