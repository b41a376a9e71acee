// Builds the JSON result.
#include "report/json.hpp"

#include <iterator>
#include <nlohmann/json.hpp>

#include "report/claim_text.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json told_step(const NeededOrder::Told& step) {
  return {{"thread", step.thread},
          {"operation", step.operation},
          {"file", text_or_null(step.where.file)},
          {"line", step.where.line > 0 ? Json(step.where.line) : Json(nullptr)}};
}

Json why_json(const Cause& cause) {
  Json orders = Json::array();
  for (const NeededOrder& order : cause.orders)
    orders.push_back({{"first", told_step(order.told_first)}, {"second", told_step(order.told_second)}});
  return {{"text", cause.text}, {"orders", orders}, {"reversed", cause.reversed}, {"not_reversed", cause.left_out}};
}

Json bounds_json(const Bounds& b) {
  Json json = Json::object();
  const auto add = [&json](const char* key, const std::optional<uint32_t>& bound) {
    if (bound) json[key] = *bound;
  };
  add("preemptions", b.preemptions);
  add("variables", b.variables);
  add("threads", b.threads);
  add("loop_iterations", b.loop_iterations);
  add("depth", b.depth);
  add("operations", b.operations);
  add("delays", b.delays);
  add("max_delay_ms", b.max_delay_ms);
  return json;
}

Json proviso_json(const Proviso& p) {
  Json json{{"kind", name_of(p.kind)}};
  if (p.count > 0) json["count"] = p.count;
  if (!p.where.empty()) json["where"] = p.where;
  if (!p.why.empty()) json["why"] = p.why;
  return json;
}

Json claim_json(const Claim& claim) {
  static constexpr const char* kScopes[] = {"none", "executions", "block-orders", "sample"};
  Json provisos = Json::array();
  for (const Proviso& p : claim.provisos) provisos.push_back(proviso_json(p));
  Json json{{"scope", kScopes[static_cast<size_t>(claim.scope)]},
            {"bounds", bounds_json(claim.bounds)},
            {"memory", claim.memory == MemoryModel::Any ? "any" : "sc"},
            {"provisos", std::move(provisos)}};
  if (claim.chance) json["missed"] = claim.chance->missed;
  return json;
}

}  // namespace

Json bug_json(const Finding& bug) {
  const Location& where = bug.location;
  Json json{
      {"kind", name_of(bug.kind)},
      {"message", bug.message},
      {"execution", bug.execution},
      {"preemptions", bug.preemptions},
      {"variables", or_null(bug.variables)},
      {"threads", bug.threads},
      {"fingerprint", bug.fingerprint},
      {"location",
       {{"function", text_or_null(where.function)},
        {"file", text_or_null(where.file)},
        {"line", where.line > 0 ? Json(where.line) : Json(nullptr)}}},
      {"schedule", text_or_null(bug.schedule)},
  };
  if (!bug.cause.text.empty()) json["why"] = why_json(bug.cause);
  // Found by the schedule of an earlier run; `execution` is the number in that run.
  if (bug.stored) json["stored"] = true;
  if (!bug.test.empty()) json["test"] = bug.test;
  return json;
}

Json result_json(const JsonReport& report, const Exploration& result, const std::vector<std::string>& warnings) {
  Json bugs = Json::array();
  for (const Finding& bug : result.bugs) bugs.push_back(bug_json(bug));
  Json json = {
      {"schema", 1},
      {"program", report.program},
      {"verdict", name_of(result.verdict)},
      {"complete", result.complete()},
      {"guarantee", guarantee_text(result)},
      {"claim", claim_json(result.claim)},
      {"strategy", report.strategy},
      {"preemptions_completed", or_null(result.claim.preemptions_completed)},
      {"executions", result.executions},
      {"redundant", or_null(result.redundant)},
      {"traces", or_null(result.traces)},
      {"isolation", report.isolation},
      {"steps_max", result.steps_max},
      {"threads_max", result.threads_max},
      {"preemptions_max", result.preemptions_max},
      {"executions_by_preemptions", result.by_preemptions},
      {"blocking_operations", result.blocking_operations},
      {"seconds", result.seconds},
      {"executions_per_second", result.seconds > 0 ? static_cast<double>(result.executions) / result.seconds : 0.0},
      {"peak_frontier_nodes", result.peak_frontier_nodes},
      {"peak_memory_bytes", result.peak_memory_bytes},
      {"bugs", bugs},
      {"warnings", warnings},
  };
  if (result.estimated_executions > 0) json["estimated_executions"] = result.estimated_executions;
  return json;
}

const char* name_of(Verdict verdict) {
  static constexpr const char* kNames[] = {"bug", "pass", "incomplete", "uncontrolled"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string to_json(const JsonReport& report, const Exploration& result) {
  Json json = result_json(report, result, report.warnings);
  for (const TestResult& test : report.tests) {
    Json one = result_json(report, test.result, test.warnings);
    one["name"] = test.name;
    json["tests"].push_back(std::move(one));
  }
  // Messages and names come from the program and may be invalid UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
