// A program made of test cases: one exploration each, so that their state spaces add up instead of multiplying.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/saved_exploration.hpp"
#include "cli/options.hpp"
#include "cli/services.hpp"
#include "report/json.hpp"

namespace lockstep {

// The exploration of one test case: named by the caller, filled by run_test().
struct TestRun {
  std::string name;
  std::string out;         // its folder
  size_t width = 0;        // of the longest name, so that the lines stand in columns
  bool may_go_on = false;  // if its time is over, there may be more of it later
  std::optional<int> exit_code{};
  Exploration result{};
  std::vector<std::string> warnings{};
  std::string isolation{};
  std::map<std::string, BugStory> stories{};  // see JsonReport
  bool started = false;                       // otherwise it could not even be run, and why has been said
  bool postponed = false;                     // it may go on, so nothing has been said of it
};

// The exit code; says one line. `saved`: goes on with that exploration.
int run_test(const Options& options, const Services& services, TestRun& test, const SavedExploration* saved);

int run_tests(const Options& options, const Services& services, const TestList& list);

}  // namespace lockstep
