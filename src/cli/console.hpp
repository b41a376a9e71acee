// Where text goes: the terminal, and files for machines.
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

  // Text for people: standard output, or standard error when a result for machines goes there.
  FILE* human() const { return human_; }
  const Terminal& terminal() const { return terminal_; }
  void print(const std::string& text) const;
  void warn(const std::string& text);  // printed at once, and kept for the JSON result
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Where something happened, the user's frames only.
  void print_stack(std::span<const uint64_t> stack, Symbols& symbols) const;

  void annotate(const Finding& bug) const;  // if it was asked for

  // Writes the results for machines that were asked for.
  void write_results(JsonReport report, const Exploration& result);

  void write_file(const std::string& path, const std::string& text);  // warns if it cannot

 private:
  const Options& options_;
  FILE* human_;
  Terminal terminal_;
  std::vector<std::string> warnings_;
};

int fail(const Error& error);  // prints the sentence, gives the exit code

}  // namespace lockstep
