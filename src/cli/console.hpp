// The output of a command: the terminal, and files for other programs.
#pragma once
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"

namespace lockstep {

class Console {
 public:
  explicit Console(const Options& options);

  // The stream for users: standard output, or standard error if standard output has a machine-readable result.
  FILE* human() const { return human_; }
  const Terminal& terminal() const { return terminal_; }
  void print(const std::string& text) const;
  void warn(const std::string& text);  // prints at once, and keeps the text for the JSON result
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Prints the user's frames of a stack.
  void print_stack(std::span<const uint64_t> stack, Symbols& symbols) const;

  void annotate(const Finding& bug) const;  // only if requested

  // Writes the requested machine-readable results.
  void write_results(JsonReport report, const Exploration& result);

  void write_file(const std::string& path, const std::string& text);  // warns on failure

 private:
  const Options& options_;
  FILE* human_;
  Terminal terminal_;
  std::vector<std::string> warnings_;
};

int fail(const Error& error);  // prints the message, returns the exit code

}  // namespace lockstep
