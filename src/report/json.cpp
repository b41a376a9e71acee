#include "report/json.hpp"

#include <iterator>
#include <nlohmann/json.hpp>

#include "report/summary.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

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
  if (bug.stored) json["stored"] = true;  // met by the schedule of an earlier run, whose number `execution` is
  if (!bug.test.empty()) json["test"] = bug.test;
  return json;
}

Json test_json(const JsonTest& test) {
  const Exploration& result = test.result;
  return Json{
      {"name", test.name},
      {"verdict", name_of(result.verdict)},
      {"complete", result.complete},
      {"guarantee", guarantee_sentence(result)},
      {"preemptions_completed", or_null(result.preemptions_completed)},
      {"executions", result.executions},
      {"redundant", or_null(result.redundant)},
      {"traces", or_null(result.traces)},
      {"steps_max", result.steps_max},
      {"threads_max", result.threads_max},
      {"preemptions_max", result.preemptions_max},
      {"seconds", result.seconds},
      {"bugs", result.bugs.size()},
      {"warnings", test.warnings},
  };
}

}  // namespace

const char* name_of(Verdict verdict) {
  static constexpr const char* kNames[] = {"bug", "pass", "incomplete", "uncontrolled"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string to_json(const JsonReport& report, const Exploration& result) {
  Json bugs = Json::array();
  for (const Finding& bug : result.bugs) bugs.push_back(bug_json(bug));
  Json json = {
      {"schema", 1},
      {"program", report.program},
      {"verdict", name_of(result.verdict)},
      {"complete", result.complete},
      {"guarantee", guarantee_sentence(result)},
      {"strategy", report.strategy},
      {"preemptions_completed", or_null(result.preemptions_completed)},
      {"executions", result.executions},
      {"redundant", or_null(result.redundant)},
      {"traces", or_null(result.traces)},
      {"isolation", report.isolation},
      {"steps_max", result.steps_max},
      {"threads_max", result.threads_max},
      {"preemptions_max", result.preemptions_max},
      {"seconds", result.seconds},
      {"executions_per_second", result.seconds > 0 ? static_cast<double>(result.executions) / result.seconds : 0.0},
      {"peak_frontier_nodes", result.peak_frontier_nodes},
      {"peak_memory_bytes", result.peak_memory_bytes},
      {"bugs", bugs},
      {"warnings", report.warnings},
  };
  if (result.estimated_executions > 0) json["estimated_executions"] = result.estimated_executions;
  if (const auto& bounds = result.bounds_completed)
    json["bounds_completed"] = {{"preemptions", bounds->preemptions},
                                {"variables", bounds->variables},
                                {"threads", or_null(bounds->threads)},
                                {"loop_iterations", bounds->loop_iterations}};
  if (!report.tests.empty()) {
    Json tests = Json::array();
    for (const JsonTest& test : report.tests) tests.push_back(test_json(test));
    json["tests"] = std::move(tests);
  }
  // Messages and names come from the program: they may be anything, also invalid UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
