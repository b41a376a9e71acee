#include "report/test_failure.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <vector>

#include "model/text.hpp"

namespace lockstep {
namespace {

constexpr size_t kLongest = 400;  // of a message

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Colours of a framework that was told to use them.
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

// "queue_test.cpp:12: Failure" -> file and line, for the given last word.
bool is_failure(std::string_view line, std::string_view word, TestFailure& out) {
  if (!line.ends_with(word)) return false;
  line.remove_suffix(word.size());
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view number = line.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.line);
  if (error != std::errc{} || end != number.data() + number.size()) return false;
  out.file = trimmed(line.substr(0, colon));
  return true;
}

bool is_rule(std::string_view line, char of) {
  return line.size() >= 20 && line.find_first_not_of(of) == std::string_view::npos;
}

}  // namespace

std::optional<TestFailure> read_test_failure(std::string_view output) {
  const std::string plain = without_escapes(output);
  const std::vector<std::string_view> lines = lines_of(plain);
  TestFailure failure;
  bool in_heading = false;  // Catch2: between two rules stand the test and its sections
  for (size_t i = 0; i < lines.size(); ++i) {
    if (constexpr std::string_view kRun = "[ RUN      ] "; lines[i].starts_with(kRun))
      failure.test = trimmed(lines[i].substr(kRun.size()));
    if (is_rule(lines[i], '-')) {
      in_heading = !in_heading;
      if (in_heading && i + 1 < lines.size()) failure.test = trimmed(lines[i + 1]);
    }
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
