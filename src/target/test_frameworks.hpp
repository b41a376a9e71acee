// Reads the test lists of test frameworks, and builds the command that runs one test case alone.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

std::vector<std::string> read_google_list(std::string_view text, bool also_disabled);
std::vector<std::string> google_command(const std::vector<std::string>& command, const std::string& test);

std::vector<std::string> read_catch_list(std::string_view text);
std::vector<std::string> catch_command(const std::vector<std::string>& command, const std::string& test,
                                       bool names_given);

std::vector<std::string> read_doctest_list(std::string_view text);
std::vector<std::string> doctest_command(const std::vector<std::string>& command, const std::string& test);

std::vector<std::string> read_boost_list(std::string_view text);  // "suite/case"; without disabled tests
std::vector<std::string> boost_command(const std::vector<std::string>& command, const std::string& test);

// For other runners: one name per line. In the command line, which is split into words as by a shell, {} stands for the
// name.
std::vector<std::string> read_plain_list(std::string_view text);
std::vector<std::string> words_of(std::string_view command_line);
std::vector<std::string> with_name(std::vector<std::string> words, const std::string& test);

}  // namespace lockstep
