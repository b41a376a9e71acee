// What the user asked for, and the one table that says how: command line, LOCKSTEP_OPTIONS and lockstep.toml are all
// read through it.
#pragma once
#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/channel.hpp"
#include "model/result.hpp"
#include "report/terminal.hpp"
#include "search/explorer.hpp"
#include "search/registry.hpp"
#include "target/input.hpp"

namespace lockstep {

// Schedules that earlier runs left in --out: which of them are tried first. Auto: those that a search would not meet soon by
// itself, because they took long to find or belong to an earlier build.
enum class Stored { Auto, Replay, Ignore };

struct Options {
  std::vector<std::string> command;  // the program and its arguments
  StrategyOptions strategy;
  Points points = Points::Auto;
  Timeouts timeouts = Timeouts::Cost;
  std::optional<uint32_t> spin_rounds;  // unset: kDefaultSpinRounds
  uint32_t spurious = 0;
  uint32_t prime = 0;
  bool races = true;         // a data race is a bug
  bool lock_discipline = false, leaks = false;  // look for these, too
  std::string suppressions;  // file; empty: none
  std::optional<uint64_t> executions;
  std::optional<std::chrono::milliseconds> time;
  uint32_t steps = 1'000'000;
  uint64_t memory_budget = 2ull << 30;
  bool require_complete = false;
  unsigned workers = 0;  // 0: one per core
  Isolation isolation = Isolation::Auto;
  Backend backend = Backend::Auto;
  CheckpointUse checkpoints = CheckpointUse::Worthwhile;
  bool keep_going = false;
  bool each_test = true;  // explore the test cases of a GoogleTest or Catch2 program one by one
  bool no_shrink = false;
  Stored stored = Stored::Auto;
  std::vector<std::string> focus_functions, focus_variables, trusted;  // globs
  std::string out;   // empty: lockstep-out/PROGRAM
  std::string json, junit, sarif;  // empty: none; "-": standard output
  bool uses_standard_output() const { return json == "-" || junit == "-" || sarif == "-"; }
  bool quiet = false;
  When color = When::Auto, progress = When::Auto;
  std::set<FindingKind> errors;  // warnings that count as bugs
  std::shared_ptr<const ProgramInput> input;  // what the program reads
  // run: how it was asked for, to be written down with the exploration
  std::vector<std::string> arguments;  // from "run" on
  std::string environment;             // LOCKSTEP_OPTIONS
  // replay, shrink
  std::string schedule;
  uint32_t times = 1;
  std::string output;  // of shrink; empty: next to the schedule
  std::string html;    // of explain; empty: none
  std::string debugger = "gdb";
  std::vector<std::string> debugger_commands;  // of debug
};

enum Command : unsigned { kRun = 1, kReplay = 2, kShrink = 4, kExplain = 8, kDebug = 16 };

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

// The best match among known option names, for "did you mean": empty if none is near.
std::string nearest_option(std::string_view name, unsigned command);

// Budgets that the user did not give: auto 60 s, random strategies 100,000 executions, exhaustive ones none.
Budget budget_of(const Options& options, const Strategy& strategy);

}  // namespace lockstep
