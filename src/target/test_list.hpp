// Lists the test cases of a program (GoogleTest, Catch2, doctest, Boost.Test, other runners), with the command that
// runs each alone.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

struct TestCase {
  std::string name;
  std::vector<std::string> command;  // program and arguments
};

struct TestList {
  std::string framework;
  std::string how_to_list;      // the command that lists the tests
  std::vector<TestCase> tests;  // in the program's order; empty: the command selects tests and none matches
};

struct TestProgram {
  std::string path{};                  // the executable
  std::vector<std::string> command{};  // as the user gave it
  std::string runtime{};               // liblockstep-rt.so, which the program may need to start
  std::string list_command{};          // for another runner: prints the names of the tests
  // For another runner: runs the test named in place of {}; empty: the name is added.
  std::string run_command{};
  std::function<bool()> stop{};  // true: the command has to end
};

// The test cases that `command` would run, listed by the program itself. nullopt if the program has no test cases, or
// does not list them.
std::optional<TestList> list_tests(const TestProgram& program);

}  // namespace lockstep
