// From argv to a command with its options.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/options.hpp"

namespace lockstep {

struct ShowText {  // help or version: printed, exit 0
  std::string text;
};
struct RunCommand {
  Options options;
  std::string hint{};  // what the user may have meant otherwise
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
  std::vector<std::string> program{};  // of `list tests`
};
using ParsedCommand = std::variant<ShowText, RunCommand, ReplayCommand, ShrinkCommand, ExplainCommand, DebugCommand,
                                   ResumeCommand, WorkCommand, ListCommand>;

struct Surroundings {
  std::string environment;             // LOCKSTEP_OPTIONS
  std::string file = "lockstep.toml";  // options of the working directory
};

// `arguments` without the program's own name. Command line over environment over file.
Result<ParsedCommand> parse_command_line(const std::vector<std::string>& arguments, const Surroundings& around);

}  // namespace lockstep
