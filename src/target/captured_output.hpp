// The captured output of the program, for an execution that is shown to a user.
#pragma once
#include <string>

namespace lockstep {

class CapturedOutput {
 public:
  CapturedOutput() = default;
  CapturedOutput(const CapturedOutput&) = delete;
  ~CapturedOutput();
  bool create();
  int fd() const { return fd_; }  // the program writes to this descriptor
  bool clear() const;
  std::string text() const;

 private:
  int fd_ = -1;
};

}  // namespace lockstep
