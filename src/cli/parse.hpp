// Parses argv into a command with its options.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/options.hpp"

namespace lockstep {

struct ShowText {  // help or version: print the text, exit 0
  std::string text;
};
struct RunCommand {
  Options options;
  std::string hint{};  // an alternative that the user may have meant
};
struct ReplayCommand {
  Options options;
};
struct ShrinkCommand {
  Options options;
};
struct ExplainCommand {
  Options options;
};
struct DebugCommand {
  Options options;
};
struct ResumeCommand {
  std::string folder;
};
struct WorkCommand {
  Options options;
};
struct ListCommand {
  std::string what;
  bool json = false;
  std::vector<std::string> program{};  // for `list tests`
};
using ParsedCommand = std::variant<ShowText, RunCommand, ReplayCommand, ShrinkCommand, ExplainCommand, DebugCommand,
                                   ResumeCommand, WorkCommand, ListCommand>;

struct Surroundings {
  std::string environment;             // LOCKSTEP_OPTIONS
  std::string file = "lockstep.toml";  // options file in the working directory
};

// `arguments`: without the name of the executable. The command line overrides the environment, which overrides the
// file.
Result<ParsedCommand> parse_command_line(const std::vector<std::string>& arguments, const Surroundings& surroundings);

}  // namespace lockstep
