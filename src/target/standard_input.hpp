// What the program reads from its standard input: a copy, so that every execution reads it from the beginning.
#pragma once
#include <memory>
#include <string>

namespace lockstep {

class ProgramInput {
 public:
  // Copies our own standard input. `program`: the executable; only one that can read standard input makes us wait for
  // a pipe. A terminal, or a pipe that stays silent, gives nothing and says so in warning().
  static std::shared_ptr<const ProgramInput> from_standard_input(const std::string& program);
  static std::shared_ptr<const ProgramInput> of(const std::string& bytes);

  ProgramInput(const ProgramInput&) = delete;
  ~ProgramInput();
  int fd() const { return fd_; }  // -1: there is none
  const std::string& warning() const { return warning_; }
  std::string bytes(size_t most) const;  // empty if there are more than that

 private:
  ProgramInput() = default;
  bool append(const char* data, size_t size);
  void read_pipe(int first_patience_ms);
  int fd_ = -1;
  std::string warning_;
};

}  // namespace lockstep
