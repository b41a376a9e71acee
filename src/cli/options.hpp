// What the user asked for, and the one table that says how: command line, LOCKSTEP_OPTIONS and lockstep.toml are all
// read through it.
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
  std::string test_glob;                      // which of them; empty: all
  std::string tests_list, test_run;           // commands of another test runner
  std::string json, junit, sarif;             // empty: none; "-": standard output
  std::string coverage_file, events, report;  // empty: none; "-" as events: standard output
  std::shared_ptr<RunLog> log;                // of events and report; one for all tests of a program
  bool uses_standard_output() const { return json == "-" || junit == "-" || sarif == "-" || events == "-"; }
  bool stories = false;  // somebody else writes the results of this run, with stories
  bool wants_stories() const { return stories || !junit.empty() || !sarif.empty(); }
  bool annotate = false;  // findings for GitHub Actions
  bool quiet = false, verbose = false;
  bool seed_drawn = false;  // --seed random
  When color = When::Auto, progress = When::Auto;
  // replay, shrink
  std::string schedule;
  uint32_t times = 1;
  std::string output;          // of shrink; empty: next to the schedule
  std::string html, perfetto;  // of explain; empty: none
  // debug
  std::string debugger = "gdb", interpreter;
  std::vector<std::string> debugger_options, debugger_commands;
};

enum Command : unsigned { kRun = 1, kReplay = 2, kShrink = 4, kExplain = 8, kDebug = 16, kWork = 32 };

struct CommandInfo {
  const char* name;
  const char* arguments;  // "FILE"
  const char* summary;
  unsigned bit;  // of Command; 0: takes none of the options
};
std::span<const CommandInfo> command_table();
const char* summary_of(std::string_view command);

struct OptionInfo {
  const char* name;   // without dashes; also the key in the environment and the file
  const char* value;  // what it takes, for help; nullptr: a flag
  const char* help;
  unsigned commands;  // where it is accepted on the command line
  bool repeatable;
  // Sets it; otherwise what is wrong with the value, as in "--time <what is wrong>".
  std::optional<std::string> (*set)(Options& options, const std::string& value);
};
std::span<const OptionInfo> option_table();
const OptionInfo* find_option(std::string_view name);

std::optional<Error> set_option(Options& options, const OptionInfo& info, const std::string& value,
                                std::string_view source);

// key=value:key=value; a value that holds a colon is quoted. Flags need no value.
std::optional<Error> apply_environment(Options& options, std::string_view text);

// A TOML file; a missing one is fine.
std::optional<Error> apply_file(Options& options, const std::string& path);

// Puts a seed that was drawn into `arguments`, so that whoever resumes the exploration has the same.
void keep_drawn_seed(Options& options);

// The best match among known option names, for "did you mean": empty if none is near.
std::string nearest_option(std::string_view name, unsigned command);

}  // namespace lockstep
