// The options of all commands, and the one table through which the command line, LOCKSTEP_OPTIONS and lockstep.toml are
// read.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/options.hpp"
#include "model/result.hpp"
#include "report/terminal.hpp"

namespace lockstep {

class RunLog;

struct Options : CampaignOptions {
  bool require_complete = false;
  bool each_test = true;                      // explore the test cases of a test program one by one
  std::string test_glob;                      // tests to explore; empty: all
  std::string tests_list, test_run;           // command lines for another test runner
  std::string json, junit, sarif;             // empty: none; "-": standard output
  std::string coverage_file, events, report;  // files; empty: none; "-" for events: standard output
  std::shared_ptr<RunLog> log;                // log for `events` and `report`; shared by all tests of a program
  bool uses_standard_output() const { return json == "-" || junit == "-" || sarif == "-" || events == "-"; }
  bool stories = false;  // the caller writes the results of this run and needs stories
  bool wants_stories() const { return stories || !junit.empty() || !sarif.empty(); }
  bool annotate = false;  // prints findings for GitHub Actions
  bool quiet = false, verbose = false;
  bool seed_drawn = false;  // --seed random
  When color = When::Auto, progress = When::Auto;
  // For replay and shrink.
  std::string schedule;
  uint32_t times = 1;
  std::string output;          // for shrink; empty: next to the schedule
  std::string html, perfetto;  // for explain; empty: none
  // For debug.
  std::string debugger = "gdb", interpreter;
  std::vector<std::string> debugger_options, debugger_commands;
};

enum Command : unsigned { kRun = 1, kReplay = 2, kShrink = 4, kExplain = 8, kDebug = 16, kWork = 32 };

struct CommandInfo {
  const char* name;
  const char* arguments;  // "FILE"
  const char* summary;
  unsigned bit;  // of Command; 0: takes no options
};
std::span<const CommandInfo> command_table();
const char* summary_of(std::string_view command);

struct OptionInfo {
  const char* name;   // without dashes; also the key in the environment and in the file
  const char* value;  // the value, for help; nullptr: a flag
  const char* help;
  unsigned commands;  // commands that accept the option
  bool repeatable;
  // Sets the option. On failure returns what is wrong with the value, as in "--time <what is wrong>".
  std::optional<std::string> (*set)(Options& options, const std::string& value);
};
std::span<const OptionInfo> option_table();
const OptionInfo* find_option(std::string_view name);

std::optional<Error> set_option(Options& options, const OptionInfo& info, const std::string& value,
                                std::string_view source);

// key=value:key=value; a value that contains a colon is quoted. Flags need no value.
std::optional<Error> apply_environment(Options& options, std::string_view text);

// Reads a TOML file; a missing file is no error.
std::optional<Error> apply_file(Options& options, const std::string& path);

// Puts a drawn seed into `arguments`, so that a resumed exploration has the same seed.
void keep_drawn_seed(Options& options);

// The best match among the option names, for "did you mean"; empty if none is similar.
std::string nearest_option(std::string_view name, unsigned command);

}  // namespace lockstep
