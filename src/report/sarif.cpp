// Writes the SARIF log.
#include "report/sarif.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/claim_text.hpp"
#include "report/finding_help.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kRoot = "SRCROOT";  // the base of relative addresses

std::string uri_of(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~+@,").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

class Sarif {
 public:
  Sarif(const JsonReport& report, const Exploration& result) : report_(report), result_(result) {}

  Json document() {
    Json results = Json::array(), notices = Json::array(), words = Json::array();
    for (const Finding& bug : result_.bugs) results.push_back(result_of(bug));
    for (const std::string& warning : report_.warnings)
      notices.push_back({{"level", "warning"}, {"message", {{"text", warning}}}});
    for (size_t i = 1; i < report_.program.size(); ++i) words.push_back(report_.program[i]);
    Json driver = {{"name", "Lockstep"}};
    if (!report_.version.empty()) driver["semanticVersion"] = report_.version;
    driver["rules"] = std::move(rules_);
    Json run = {{"tool", {{"driver", std::move(driver)}}},
                {"invocations", Json::array({{{"executionSuccessful", result_.verdict != Verdict::Uncontrolled},
                                              {"executableLocation", artifact(report_.program.at(0))},
                                              {"arguments", std::move(words)},
                                              {"toolExecutionNotifications", std::move(notices)}}})}};
    if (!report_.folder.empty())
      run["originalUriBaseIds"] = {{kRoot, {{"uri", "file://" + uri_of(report_.folder) + "/"}}}};
    run["results"] = std::move(results);
    run["properties"] = {{"guarantee", guarantee_text(result_)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

 private:
  size_t rule(FindingKind kind) {
    auto [at, fresh] = rule_numbers_.try_emplace(kind, rules_.size());
    if (fresh)
      rules_.push_back({{"id", name_of(kind)},
                        {"shortDescription", {{"text", finding_help(kind).what}}},
                        {"help", {{"text", finding_help(kind).advice}}},
                        {"defaultConfiguration", {{"level", "error"}}},
                        {"properties", {{"tags", Json::array({"concurrency", "correctness"})}}}});
    return at->second;
  }

  Json result_of(const Finding& bug) {
    Json json = {
        {"ruleId", name_of(bug.kind)},
        {"ruleIndex", rule(bug.kind)},
        {"level", "error"},
        {"message", {{"text", bug.message.empty() ? name_of(bug.kind) : bug.message}}},
        {"partialFingerprints", {{"lockstep/v1", bug.fingerprint}}},
        {"properties", {{"execution", bug.execution}, {"preemptions", bug.preemptions}, {"threads", bug.threads}}}};
    if (!bug.test.empty()) json["properties"]["test"] = bug.test;
    if (!bug.cause.text.empty()) json["properties"]["why"] = bug.cause.text;
    if (!bug.schedule.empty()) json["properties"]["replay"] = "lockstep replay " + shell_word(bug.schedule);
    if (bug.location.line > 0) json["locations"] = Json::array({location(bug.location, "")});
    Json others = Json::array();
    const auto story = report_.stories.find(bug.fingerprint);
    const bool has_story = story != report_.stories.end() && !story->second.steps.empty();
    if (has_story) others = related(bug, story->second);
    add_cause(bug.cause, others);
    if (!others.empty()) json["relatedLocations"] = std::move(others);
    if (has_story) json["codeFlows"] = Json::array({code_flow(bug, story->second)});
    return json;
  }

  // The places where other threads are blocked; the other access of a race.
  Json related(const Finding& bug, const BugStory& story) const {
    Json list = Json::array();
    for (const FlowStep& step : story.steps) {
      const bool here = step.where.file == bug.location.file && step.where.line == bug.location.line;
      if (!step.essential || step.where.line <= 0 || here) continue;
      Json place = location(step.where, step.thread + ": " + step.text);
      place["id"] = list.size() + 1;
      list.push_back(std::move(place));
    }
    return list;
  }

  // The steps whose order matters.
  void add_cause(const Cause& cause, Json& list) const {
    for (const NeededOrder& order : cause.orders)
      for (const NeededOrder::Told* step : {&order.told_first, &order.told_second}) {
        if (step->where.line <= 0) continue;
        Json place = location(step->where, step->thread + ": " + step->operation);
        place["id"] = list.size() + 1;
        list.push_back(std::move(place));
      }
  }

  // One flow for each thread; executionOrder gives the interleaving.
  Json code_flow(const Finding& bug, const BugStory& story) const {
    std::vector<std::pair<std::string, Json>> flows;
    size_t order = 0;
    for (const FlowStep& step : story.steps) {
      auto at = std::find_if(flows.begin(), flows.end(), [&](const auto& flow) { return flow.first == step.thread; });
      if (at == flows.end()) at = flows.insert(at, {step.thread, Json::array()});
      at->second.push_back({{"location", location(step.where, step.text)},
                            {"executionOrder", ++order},
                            {"importance", step.essential ? "essential" : "important"}});
    }
    Json threads = Json::array();
    for (auto& [name, locations] : flows)
      threads.push_back({{"id", name}, {"message", {{"text", name}}}, {"locations", std::move(locations)}});
    return {{"message", {{"text", fmt::format("the failing schedule, {}", plural(bug.preemptions, "preemption"))}}},
            {"threadFlows", std::move(threads)}};
  }

  Json location(const Location& where, const std::string& message) const {
    Json json = Json::object();
    if (where.line > 0)
      json["physicalLocation"] = {{"artifactLocation", artifact(where.file)}, {"region", {{"startLine", where.line}}}};
    if (!where.function.empty())
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", where.function}, {"kind", "function"}}});
    if (!message.empty()) json["message"] = {{"text", message}};
    return json;
  }

  Json artifact(const std::string& file) const {
    const fs::path path = fs::path(file).lexically_normal();
    if (path.is_relative()) return {{"uri", uri_of(path.string())}, {"uriBaseId", kRoot}};
    const fs::path inside = report_.folder.empty() ? fs::path() : path.lexically_relative(report_.folder);
    if (inside.empty() || *inside.begin() == "..") return {{"uri", "file://" + uri_of(path.string())}};
    return {{"uri", uri_of(inside.string())}, {"uriBaseId", kRoot}};
  }

  const JsonReport& report_;
  const Exploration& result_;
  std::map<FindingKind, size_t> rule_numbers_;
  Json rules_ = Json::array();
};

}  // namespace

std::string to_sarif(const JsonReport& report, const Exploration& result) {
  return Sarif(report, result).document().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
