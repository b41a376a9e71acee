// Parses the failure messages of test frameworks.
#include "report/test_failure.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <vector>

#include "model/text_lines.hpp"

namespace lockstep {
namespace {

constexpr size_t kLongest = 400;  // characters of a message

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Removes the colours of a framework.
std::string without_escapes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      out += text[i];
      continue;
    }
    while (i < text.size() && text[i] != 'm') ++i;
  }
  return out;
}

// "queue_test.cpp:12" or "queue_test.cpp(12)".
bool is_place(std::string_view text, TestFailure& out) {
  const bool in_brackets = text.ends_with(')');
  if (in_brackets) text.remove_suffix(1);
  const size_t before = text.rfind(in_brackets ? '(' : ':');
  if (before == std::string_view::npos || before == 0) return false;
  const std::string_view number = text.substr(before + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.line);
  if (error != std::errc{} || end != number.data() + number.size()) return false;
  out.file = trimmed(text.substr(0, before));
  return true;
}

// Reads "queue_test.cpp:12: Failure" into file and line; `word` is the last word.
bool is_failure(std::string_view line, std::string_view word, TestFailure& out) {
  return line.ends_with(word) && is_place(line.substr(0, line.size() - word.size()), out);
}

// Reads "queue_test.cpp:12: ERROR: CHECK( n == 2 ) is NOT correct!" of doctest, and
// "queue_test.cpp(12): error: in \"Queue/Push\": check n == 2 has failed [1 != 2]" of Boost.Test.
bool is_failure_on_one_line(std::string_view line, TestFailure& out) {
  constexpr std::string_view kDoctest[] = {": ERROR: ", ": FATAL ERROR: "};
  constexpr std::string_view kBoost[] = {": error: in \"", ": fatal error: in \""};
  for (const std::string_view mark : kDoctest)
    if (const size_t at = line.find(mark); at != std::string_view::npos && is_place(line.substr(0, at), out)) {
      out.message = trimmed(line.substr(at + mark.size()));
      return true;
    }
  for (const std::string_view mark : kBoost) {
    const size_t at = line.find(mark), end = at == std::string_view::npos ? at : line.find("\": ", at + mark.size());
    if (end == std::string_view::npos || !is_place(line.substr(0, at), out)) continue;
    out.test = line.substr(at + mark.size(), end - at - mark.size());
    out.message = trimmed(line.substr(end + 3));
    return true;
  }
  return false;
}

bool is_rule(std::string_view line, char of) {
  return line.size() >= 20 && line.find_first_not_of(of) == std::string_view::npos;
}

}  // namespace

std::optional<TestFailure> read_test_failure(std::string_view output) {
  const std::string plain = without_escapes(output);
  const std::vector<std::string_view> lines = lines_of(plain);
  TestFailure failure;
  bool in_heading = false;  // Catch2: the test and its sections stand between two rules
  for (size_t i = 0; i < lines.size(); ++i) {
    if (constexpr std::string_view kRun = "[ RUN      ] "; lines[i].starts_with(kRun))
      failure.test = trimmed(lines[i].substr(kRun.size()));
    if (is_rule(lines[i], '-')) {
      in_heading = !in_heading;
      if (in_heading && i + 1 < lines.size()) failure.test = trimmed(lines[i + 1]);
    }
    if (constexpr std::string_view kCase = "TEST CASE:"; trimmed(lines[i]).starts_with(kCase))  // doctest
      failure.test = trimmed(trimmed(lines[i]).substr(kCase.size()));
    if (is_failure_on_one_line(lines[i], failure)) return failure;
    const bool google = is_failure(lines[i], ": Failure", failure);
    if (!google && !is_failure(lines[i], ": FAILED:", failure)) continue;
    for (size_t j = i + 1; j < lines.size() && failure.message.size() < kLongest; ++j) {
      const std::string_view line = trimmed(lines[j]);
      if (line.empty() || line.starts_with("[  FAILED") || is_rule(line, '=') || is_rule(line, '-')) break;
      if (!failure.message.empty()) failure.message += failure.message.ends_with(':') ? " " : ", ";
      failure.message += line;
    }
    if (failure.message.size() > kLongest) failure.message.resize(kLongest);
    return failure;
  }
  return std::nullopt;
}

void explain_by_test(Finding& finding) {
  if (finding.kind != FindingKind::ExitCode) return;
  const std::optional<TestFailure> failure = read_test_failure(finding.output);
  if (!failure) return;
  finding.observed = finding.kind;
  finding.kind = FindingKind::Assertion;
  finding.message = fmt::format("{}{}", failure->test.empty() ? "" : failure->test + " failed: ", failure->message);
  finding.location = {failure->test, failure->file, failure->line};
  const std::string identity =
      fmt::format("{}\n{}\n{}:{}", name_of(finding.kind), failure->test, failure->file, failure->line);
  finding.fingerprint = fmt::format("{:016x}", XXH3_64bits(identity.data(), identity.size()));
}

}  // namespace lockstep
