// What the program prints in an execution that is shown to a person.
#pragma once
#include <string>

namespace lockstep {

class CapturedOutput {
 public:
  CapturedOutput() = default;
  CapturedOutput(const CapturedOutput&) = delete;
  ~CapturedOutput();
  bool create();
  int fd() const { return fd_; }  // where the program writes it
  bool clear() const;
  std::string text() const;

 private:
  int fd_ = -1;
};

}  // namespace lockstep
