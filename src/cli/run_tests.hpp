// A program with test cases: one exploration for each, so that their state spaces add up instead of multiplying.
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

// The exploration of one test case: the caller sets the name, run_test() the rest.
struct TestRun {
  std::string name;
  std::string out;         // folder of the test
  size_t width = 0;        // of the longest name, for aligned lines
  bool may_go_on = false;  // if its time is over, it may be continued later
  std::optional<int> exit_code{};
  Exploration result{};
  std::vector<std::string> warnings{};
  std::string isolation{};
  std::map<std::string, BugStory> stories{};  // see JsonReport
  bool started = false;                       // false: the test could not be run, and an error was printed
  bool postponed = false;                     // may be continued, so nothing has been printed
};

// Returns the exit code and prints one line. `saved`: the exploration to resume.
int run_test(const Options& options, const Services& services, TestRun& test, const SavedExploration* saved);

int run_tests(const Options& options, const Services& services, const TestList& list);

}  // namespace lockstep
