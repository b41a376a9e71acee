// Writes events and the page of a run.
#include "report/run_log.hpp"

#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "report/html.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kPageEvery = std::chrono::seconds(2);
constexpr size_t kMostEvents = 2000;  // on the page; beyond that, every second progress event is dropped

Json machines_json(const Progress& p) {
  Json machines = Json::array();
  for (const MachineStatus& machine : p.machines)
    machines.push_back({{"name", machine.name},
                        {"workers", machine.workers},
                        {"executions", machine.executions},
                        {"executions_per_second", per_second(machine)},
                        {"idle", idle_share(machine)}});
  return machines;
}

Json progress_json(const Progress& p) {
  Json strategies = Json::object(), levels = Json::array();
  for (const auto& [name, executions] : p.by_strategy) strategies[name] = executions;
  uint64_t distinct = 0;
  for (const Progress::Level& level : p.levels) {
    distinct += level.distinct;
    levels.push_back(
        {{"preemptions", level.preemptions}, {"executions", level.executions}, {"distinct", level.distinct}});
  }
  const auto total = p.estimated_total > 0 ? Json(p.executions_before + p.estimated_total) : Json(nullptr);
  return {{"phase", p.phase},
          {"executions", p.executions_before + p.executions},
          {"distinct", distinct},
          {"estimated_total", total},
          {"seconds_left", p.seconds_left ? Json(*p.seconds_left) : Json(nullptr)},
          {"frontier", p.frontier},
          {"bugs", p.bugs},
          {"preemptions_completed", p.preemptions_completed ? Json(*p.preemptions_completed) : Json(nullptr)},
          {"by_strategy", std::move(strategies)},
          {"by_preemptions", std::move(levels)},
          {"machines", machines_json(p)},
          {"units_waiting", p.units_waiting}};
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

RunLog::RunLog(Files files, std::vector<std::string> program, std::string strategy)
    : files_(std::move(files)), program_(std::move(program)), strategy_(std::move(strategy)) {
  if (files_.events.empty()) return;
  lines_ = files_.events == "-" ? stdout : std::fopen(files_.events.c_str(), "we");
  if (!lines_) problem_ = fmt::format("cannot write {}: {}", files_.events, std::strerror(errno));
}

RunLog::~RunLog() {
  if (lines_ && lines_ != stdout) std::fclose(lines_);
}

void RunLog::start(const std::string& test) {
  add("start", test, {{"schema", 1}, {"program", program_}, {"strategy", strategy_}});
}

void RunLog::progress(const std::string& test, const Progress& progress) {
  add("progress", test, progress_json(progress));
}

void RunLog::bound_finished(const std::string& test, uint32_t bound, uint64_t executions) {
  add("bound", test, {{"preemptions", bound}, {"executions", executions}});
}

void RunLog::starts_over(const std::string& test, size_t points) { add("restart", test, {{"points", points}}); }

void RunLog::found(const std::string& test, const Finding& bug) { add("bug", test, {{"bug", bug_json(bug)}}); }

void RunLog::end(const std::string& test, const JsonReport& report, const Exploration& result) {
  add("end", test, {{"result", result_json(report, result, report.warnings)}});
}

void RunLog::close() {
  closed_ = true;
  write_page();
}

void RunLog::add(const char* event, const std::string& test, Json keys) {
  const auto now = std::chrono::steady_clock::now();
  Json json = {{"event", event}, {"seconds", std::chrono::duration<double>(now - began_).count()}};
  if (!test.empty()) json["test"] = test;
  for (auto& [key, value] : keys.items()) json[key] = std::move(value);
  if (lines_) {
    const std::string line = line_of(json) + "\n";
    const bool written = std::fwrite(line.data(), 1, line.size(), lines_) == line.size() && std::fflush(lines_) == 0;
    if (!written && problem_.empty())
      problem_ = fmt::format("cannot write {}: {}", files_.events, std::strerror(errno));
  }
  if (files_.page.empty()) return;
  events_.push_back(std::move(json));
  if (events_.size() > kMostEvents) thin_out();
  if (now - written_ >= kPageEvery || events_.size() == 1) write_page();
}

void RunLog::thin_out() {
  std::vector<Json> kept;
  bool drop = false;
  for (Json& event : events_) {
    if (&event != &events_.back() && event["event"] == "progress" && (drop = !drop)) continue;
    kept.push_back(std::move(event));
  }
  events_ = std::move(kept);
}

std::string RunLog::page() const {
  return html_page({{"page", "run"},
                    {"schema", 1},
                    {"program", program_},
                    {"strategy", strategy_},
                    {"finished", closed_},
                    {"written", std::time(nullptr)},
                    {"events", events_}});
}

// Replaces the page atomically, because a browser may be reading it.
void RunLog::write_page() {
  if (files_.page.empty()) return;
  written_ = std::chrono::steady_clock::now();
  const std::string part = files_.page + ".part";
  FILE* file = std::fopen(part.c_str(), "we");
  const std::string text = page();
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good = file != nullptr && std::fclose(file) == 0 && good;
  if (good && std::rename(part.c_str(), files_.page.c_str()) == 0) return;
  if (problem_.empty()) problem_ = fmt::format("cannot write {}: {}", files_.page, std::strerror(errno));
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
}

}  // namespace lockstep
