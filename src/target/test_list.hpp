// Programs made of test cases (GoogleTest, Catch2, doctest, Boost.Test, other runners): which they are, and the command
// that runs one of them alone.
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
  std::string how_to_list;      // a command
  std::vector<TestCase> tests;  // in the program's own order; empty: the command names tests, and there is none of them
};

struct TestProgram {
  std::string path{};                  // the executable
  std::vector<std::string> command{};  // as the user gave it
  std::string runtime{};               // liblockstep-rt.so, which it may need to start
  std::string list_command{};          // of another runner: prints the names of the tests
  std::string run_command{};           // of another runner: runs the test in place of {}; empty: the name is added
  std::function<bool()> stop{};        // true: the command has to end
};

// The test cases that `command` would run, asked of the program itself; nullopt if it is not made of test cases, or
// does not say.
std::optional<TestList> list_tests(const TestProgram& program);

}  // namespace lockstep
