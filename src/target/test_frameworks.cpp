// Parses the lists of test cases that frameworks print.
#include "target/test_frameworks.hpp"

#include <algorithm>
#include <initializer_list>

#include "model/text_lines.hpp"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string quoted(std::string_view name, std::string_view special) {
  std::string text;
  for (const char c : name) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// Removes options that have their value in the same word.
Words without_options(const Words& command, std::initializer_list<std::string_view> options) {
  Words words;
  for (const std::string& word : command)
    if (words.empty() ||
        std::none_of(options.begin(), options.end(), [&](std::string_view option) { return word.starts_with(option); }))
      words.push_back(word);
  return words;
}

}  // namespace

std::vector<std::string> read_google_list(std::string_view text, bool also_disabled) {
  std::vector<std::string> tests;
  std::string suite;
  for (std::string_view line : lines_of(text)) {
    line = line.substr(0, line.find("  #"));  // removes parameters
    line = without_end(line);
    if (line.starts_with("  ") && !suite.empty()) {
      const std::string test = suite + std::string(line.substr(2));
      const bool plain = line.find(' ', 2) == std::string_view::npos;
      const bool disabled = test.starts_with("DISABLED_") || test.find(".DISABLED_") != std::string::npos ||
                            test.find("/DISABLED_") != std::string::npos;
      if (plain && (!disabled || also_disabled)) tests.push_back(test);
    } else {
      suite = line.ends_with('.') && line.find(' ') == std::string_view::npos ? std::string(line) : "";
    }
  }
  return tests;
}

std::vector<std::string> google_command(const Words& command, const std::string& test) {
  Words words = without_options(command, {"--gtest_filter="});
  words.push_back("--gtest_filter=" + test);
  return words;
}

std::vector<std::string> read_catch_list(std::string_view text) { return read_plain_list(text); }

std::vector<std::string> catch_command(const Words& command, const std::string& test, bool names_given) {
  // Options of Catch2 that take the next word as value. Any other word without a dash names tests.
  static constexpr std::string_view kTakesValue[] = {"-o",
                                                     "--out",
                                                     "-r",
                                                     "--reporter",
                                                     "-n",
                                                     "--name",
                                                     "-x",
                                                     "--abortx",
                                                     "-w",
                                                     "--warn",
                                                     "-d",
                                                     "--durations",
                                                     "-D",
                                                     "--min-duration",
                                                     "-f",
                                                     "--input-file",
                                                     "-c",
                                                     "--section",
                                                     "-v",
                                                     "--verbosity",
                                                     "--order",
                                                     "--rng-seed",
                                                     "--use-colour",
                                                     "--colour-mode",
                                                     "--benchmark-samples",
                                                     "--benchmark-resamples",
                                                     "--benchmark-confidence-interval",
                                                     "--benchmark-warmup-time",
                                                     "--wait-for-keypress",
                                                     "--shard-count",
                                                     "--shard-index"};
  Words words{command[0]};
  for (size_t i = 1; i < command.size(); ++i) {
    const bool value =
        std::find(std::begin(kTakesValue), std::end(kTakesValue), command[i - 1]) != std::end(kTakesValue) && i > 1;
    if (names_given && !value && !command[i].starts_with('-')) continue;
    words.push_back(command[i]);
  }
  words.push_back(quoted(test, "\\,[]\"*~"));
  return words;
}

// The names stand between two rules.
std::vector<std::string> read_doctest_list(std::string_view text) {
  std::vector<std::string> tests;
  int rules = 0;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("=====")) {
      ++rules;
    } else if (rules == 1 && !without_end(line).empty()) {
      tests.emplace_back(without_end(line));
    }
  }
  return tests;
}

std::vector<std::string> doctest_command(const Words& command, const std::string& test) {
  Words words = without_options(command, {"-tc=", "--test-case=", "--dt-test-case=", "-dt-tc="});
  words.push_back("--test-case=" + quoted(test, ","));
  return words;
}

// An indented tree; a star marks enabled tests. "name*: description".
std::vector<std::string> read_boost_list(std::string_view text) {
  struct Entry {
    size_t depth;
    std::string path;
    bool enabled;
  };
  std::vector<Entry> entries;
  std::vector<std::string> path;
  for (std::string_view line : lines_of(text)) {
    line = without_end(line);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string_view name = line.substr(indent);
    name = name.substr(0, name.find(": "));
    const bool enabled = name.ends_with('*');
    if (enabled) name.remove_suffix(1);
    const size_t depth = indent / 4;
    if (name.empty() || indent % 4 != 0 || depth > path.size()) continue;
    path.resize(depth);
    path.emplace_back(name);
    std::string whole;
    for (const std::string& part : path) whole += (whole.empty() ? "" : "/") + part;
    entries.push_back({depth, whole, enabled});
  }
  std::vector<std::string> tests;
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool suite = i + 1 < entries.size() && entries[i + 1].depth > entries[i].depth;
    if (!suite && entries[i].enabled) tests.push_back(entries[i].path);
  }
  return tests;
}

std::vector<std::string> boost_command(const Words& command, const std::string& test) {
  Words words = without_options(command, {"--run_test=", "-t="});
  words.push_back("--run_test=" + test);
  return words;
}

std::vector<std::string> read_plain_list(std::string_view text) {
  std::vector<std::string> tests;
  for (std::string_view line : lines_of(text)) {
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) tests.emplace_back(line);
  }
  return tests;
}

std::vector<std::string> words_of(std::string_view command_line) {
  Words words;
  std::string word;
  char quote = 0;
  bool begun = false;
  for (const char c : command_line) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      begun = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::vector<std::string> with_name(Words words, const std::string& test) {
  for (std::string& word : words)
    for (size_t at = word.find("{}"); at != std::string::npos; at = word.find("{}", at + test.size()))
      word.replace(at, 2, test);
  return words;
}

}  // namespace lockstep
