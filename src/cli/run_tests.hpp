// A program made of test cases: one exploration each, so that their state spaces add up instead of multiplying.
#pragma once
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/world.hpp"
#include "report/json.hpp"

namespace lockstep {

// The exploration of one test case: named by the caller, filled by run_test().
struct TestRun {
  std::string name;
  size_t width = 0;  // of the longest name, so that the lines stand in columns
  Exploration result;
  std::vector<std::string> warnings;
  std::string isolation;
  bool started = false;  // otherwise it could not even be run, and why has been said
};

int run_test(const Options& options, const World& world, TestRun& test);  // exit code; says one line

int run_tests(const Options& options, const World& world, const TestList& list);

}  // namespace lockstep
