#include "report/junit.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

}  // namespace

std::string to_junit(const JsonReport& report, const Exploration& result) {
  std::string name;
  for (const std::string& word : report.program) name += (name.empty() ? "" : " ") + shell_word(word);
  const bool error = result.verdict == Verdict::Uncontrolled;
  std::string body;
  for (const Finding& bug : result.bugs) body += failure(bug);
  if (error) body += fmt::format("      <error type=\"uncontrolled\" message=\"{}\"/>\n", escaped(result.uncontrolled));
  std::string said = guarantee_sentence(result) + "\n";
  for (const std::string& warning : report.warnings) said += "warning: " + warning + "\n";
  body += fmt::format("      <system-out>{}</system-out>\n", escaped(said));
  const std::string counts = fmt::format("tests=\"1\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"",
                                         result.bugs.empty() ? 0 : 1, error ? 1 : 0, result.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites {0}>\n"
      "  <testsuite name=\"lockstep\" {0}>\n"
      "    <testcase classname=\"lockstep.{1}\" name=\"{2}\" time=\"{3:.3f}\">\n"
      "{4}"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n",
      counts, escaped(report.strategy), escaped(name), result.seconds, body);
}

}  // namespace lockstep
