// The identity of a program: decides whether it is still the one with which a schedule was recorded.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace lockstep {

struct ProgramIdentity {
  std::string build_id;  // hex; empty if the file has none
  uint64_t size = 0;
  int64_t mtime = 0;  // seconds

  bool known() const { return size != 0; }
};

// All zero if the file cannot be read.
ProgramIdentity identify_program(const std::string& path);

// Notices when the file of a program is replaced during the exploration. Checks a few times a second at most.
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

// Compares build ids if both have one, so a rebuilt program with equal code counts as the same.
bool same_program(const ProgramIdentity& a, const ProgramIdentity& b);

}  // namespace lockstep
