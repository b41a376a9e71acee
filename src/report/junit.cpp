#include "report/junit.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/claim_text.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

// XML 1.0 has no way to write most control characters; the program's own text may hold any.
std::string escaped(const std::string& text) {
  using Json = nlohmann::json;  // its writer mends what is not UTF-8
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

std::string failure(const Finding& bug) {
  std::string text = bug.message;
  if (bug.location.line > 0)
    text += fmt::format("\n{}:{}: {}", bug.location.file, bug.location.line, bug.location.function);
  if (!bug.schedule.empty()) text += "\nlockstep replay " + shell_word(bug.schedule);
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", name_of(bug.kind),
                     escaped(bug.message), escaped(text));
}

std::string test_case(const std::string& suite, const std::string& name, const Exploration& result,
                      const std::vector<std::string>& warnings) {
  std::string body;
  for (const Finding& bug : result.bugs) body += failure(bug);
  if (result.verdict == Verdict::Uncontrolled)
    body += fmt::format("      <error type=\"uncontrolled\" message=\"{}\"/>\n", escaped(result.uncontrolled));
  std::string said = guarantee_text(result) + "\n";
  for (const std::string& warning : warnings) said += "warning: " + warning + "\n";
  body += fmt::format("      <system-out>{}</system-out>\n", escaped(said));
  return fmt::format("    <testcase classname=\"lockstep.{}\" name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n",
                     escaped(suite), escaped(name), result.seconds, body);
}

}  // namespace

// A program that was explored test by test has one test case for each.
std::string to_junit(const JsonReport& report, const Exploration& result) {
  std::string name, cases;
  for (const std::string& word : report.program) name += (name.empty() ? "" : " ") + shell_word(word);
  size_t tests = 0, failures = 0, errors = 0;
  const auto add = [&](const std::string& test, const Exploration& one, const std::vector<std::string>& warnings) {
    cases += test_case(report.strategy, test, one, warnings);
    ++tests;
    failures += !one.bugs.empty();
    errors += one.verdict == Verdict::Uncontrolled;
  };
  for (const TestResult& test : report.tests) add(test.name, test.result, test.warnings);
  if (report.tests.empty()) add(name, result, report.warnings);
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", tests, failures,
                                         errors, result.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites {0}>\n"
      "  <testsuite name=\"lockstep\" {0}>\n"
      "{1}"
      "  </testsuite>\n"
      "</testsuites>\n",
      counts, cases);
}

}  // namespace lockstep
