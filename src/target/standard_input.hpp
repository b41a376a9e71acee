// The program's standard input: a copy, so that every execution reads it from the beginning.
#pragma once
#include <memory>
#include <string>

namespace lockstep {

class ProgramInput {
 public:
  // Copies the standard input of this process. `program`: the executable; waits for a pipe only if it can read standard
  // input. A terminal, or a pipe without data, counts as empty, and warning() says so.
  static std::shared_ptr<const ProgramInput> from_standard_input(const std::string& program);
  static std::shared_ptr<const ProgramInput> of(const std::string& bytes);

  ProgramInput(const ProgramInput&) = delete;
  ~ProgramInput();
  int fd() const { return fd_; }  // -1: no input
  const std::string& warning() const { return warning_; }
  std::string bytes(size_t most) const;  // empty if there are more than `most`

 private:
  ProgramInput() = default;
  bool append(const char* data, size_t size);
  void read_pipe(int first_patience_ms);
  int fd_ = -1;
  std::string warning_;
};

}  // namespace lockstep
