// Writes the JUnit XML.
#include "report/junit.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "report/claim_text.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

// XML 1.0 cannot represent most control characters, which the program's text may contain.
std::string escaped(const std::string& text) {
  using Json = nlohmann::json;  // its writer replaces invalid UTF-8
  const std::string valid = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string out;
  for (const unsigned char c : valid) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default: out += c < 0x20 || c == 0x7f ? '?' : static_cast<char>(c);
    }
  }
  return out;
}

std::string failure(const Finding& bug, const JsonReport& report) {
  std::string text = bug.message;
  if (bug.location.line > 0)
    text += fmt::format("\n{}:{}: {}", bug.location.file, bug.location.line, bug.location.function);
  if (!bug.schedule.empty()) text += "\nlockstep replay " + shell_word(bug.schedule);
  if (const auto story = report.stories.find(bug.fingerprint); story != report.stories.end()) text = story->second.text;
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", name_of(bug.kind),
                     escaped(bug.message), escaped(text));
}

// Servers show class names as a tree, split at dots: program, then suite ("Queue" of "Queue.Push").
std::pair<std::string, std::string> class_and_name(const std::string& program, const std::string& test) {
  const size_t dot = test.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == test.size()) return {program, test};
  return {program + "." + test.substr(0, dot), test.substr(dot + 1)};
}

std::string test_case(const std::pair<std::string, std::string>& name, const JsonReport& report,
                      const Exploration& result, const std::vector<std::string>& warnings) {
  std::string body;
  for (const Finding& bug : result.bugs) body += failure(bug, report);
  if (result.verdict == Verdict::Uncontrolled)
    body += fmt::format("      <error type=\"uncontrolled\" message=\"{}\"/>\n", escaped(result.uncontrolled));
  std::string said = guarantee_text(result) + "\n";
  for (const std::string& warning : warnings) said += "warning: " + warning + "\n";
  body += fmt::format("      <system-out>{}</system-out>\n", escaped(said));
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n",
                     escaped(name.first), escaped(name.second), result.seconds, body);
}

}  // namespace

// A program that was explored test by test has one test case for each test.
std::string to_junit(const JsonReport& report, const Exploration& result) {
  std::string cases;
  const std::string program = std::filesystem::path(report.program.at(0)).filename().string();
  std::vector<std::string> words = report.program;
  words[0] = program;
  size_t tests = 0, failures = 0, errors = 0;
  const auto add = [&](const std::string& test, const Exploration& one, const std::vector<std::string>& warnings) {
    cases += test_case(test.empty() ? std::pair(program, shell_words(words)) : class_and_name(program, test), report,
                       one, warnings);
    ++tests;
    failures += !one.bugs.empty();
    errors += one.verdict == Verdict::Uncontrolled;
  };
  for (const TestResult& test : report.tests) add(test.name, test.result, test.warnings);
  if (report.tests.empty()) add("", result, report.warnings);
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", tests, failures,
                                         errors, result.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites {0}>\n"
      "  <testsuite name=\"{2}\" {0}>\n"
      "    <properties><property name=\"lockstep.strategy\" value=\"{3}\"/></properties>\n"
      "{1}"
      "  </testsuite>\n"
      "</testsuites>\n",
      counts, cases, escaped(program), escaped(report.strategy));
}

}  // namespace lockstep
