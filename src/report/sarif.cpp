#include "report/sarif.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "report/claim_text.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Json result_of(const Finding& bug) {
  Json json = {
      {"ruleId", name_of(bug.kind)},
      {"level", "error"},
      {"message", {{"text", bug.message.empty() ? name_of(bug.kind) : bug.message}}},
      {"partialFingerprints", {{"lockstep/v1", bug.fingerprint}}},
      {"properties", {{"execution", bug.execution}, {"preemptions", bug.preemptions}, {"threads", bug.threads}}}};
  if (!bug.schedule.empty()) json["properties"]["replay"] = "lockstep replay " + shell_word(bug.schedule);
  if (bug.location.line > 0) {
    Json place = {
        {"physicalLocation",
         {{"artifactLocation", {{"uri", bug.location.file}}}, {"region", {{"startLine", bug.location.line}}}}}};
    if (!bug.location.function.empty())
      place["logicalLocations"] = Json::array({{{"fullyQualifiedName", bug.location.function}, {"kind", "function"}}});
    json["locations"] = Json::array({place});
  }
  return json;
}

}  // namespace

std::string to_sarif(const JsonReport& report, const Exploration& result) {
  std::set<std::string> kinds;
  Json results = Json::array(), rules = Json::array(), notices = Json::array();
  for (const Finding& bug : result.bugs) {
    results.push_back(result_of(bug));
    if (kinds.insert(name_of(bug.kind)).second) rules.push_back({{"id", name_of(bug.kind)}});
  }
  for (const std::string& warning : report.warnings)
    notices.push_back({{"level", "warning"}, {"message", {{"text", warning}}}});
  Json words = Json::array();
  for (size_t i = 1; i < report.program.size(); ++i) words.push_back(report.program[i]);
  const Json json = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{{"tool", {{"driver", {{"name", "Lockstep"}, {"rules", rules}}}}},
                     {"invocations", Json::array({{{"executionSuccessful", result.verdict != Verdict::Uncontrolled},
                                                   {"executableLocation", {{"uri", report.program.at(0)}}},
                                                   {"arguments", words},
                                                   {"toolExecutionNotifications", notices}}})},
                     {"results", results},
                     {"properties", {{"guarantee", guarantee_text(result)}}}}})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
