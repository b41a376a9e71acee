// Programs made of test cases (GoogleTest, Catch2): which they are, and the command that runs one of them alone.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct TestCase {
  std::string name;
  std::vector<std::string> command;  // program and arguments
};

struct TestList {
  std::string framework;
  std::vector<TestCase> tests;  // in the program's own order; empty: the command names tests, and there is none of them
};

// The test cases that `command` would run, asked of the program itself; nullopt if it is not made of test cases, or
// does not say. `path`: the executable; `runtime`: liblockstep-rt.so, which it may need to start.
std::optional<TestList> list_tests(const std::string& path, const std::vector<std::string>& command,
                                   const std::string& runtime);

// --- the parts, for tests ---
std::vector<std::string> read_google_list(std::string_view text, bool also_disabled);
std::vector<std::string> google_command(const std::vector<std::string>& command, const std::string& test);
std::vector<std::string> read_catch_list(std::string_view text);
std::vector<std::string> catch_command(const std::vector<std::string>& command, const std::string& test,
                                       bool names_given);

}  // namespace lockstep
