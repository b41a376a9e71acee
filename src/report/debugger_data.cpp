// Writes stops, rows and thread states as JSON.
#include "report/debugger_data.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/operation_text.hpp"
#include "report/story_cells.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kRows = 20'000;  // more rows are reduced to the most important ones

// A return address in the program, and the record at which the access happens.
Json access_json(const RaceAccess& access) {
  constexpr uint8_t kElsewhere = RaceAccess::kRange | RaceAccess::kFree | RaceAccess::kSync;
  Json json{{"thread", index_of(access.thread)}, {"pc", access.pc}, {"records", access.step}};
  // The address argument of the instrumentation's function.
  if (!(access.flags & kElsewhere) && access.misuse == Misuse::None) json["address"] = access.begin;
  return json;
}

// For each step, the next conflicting step of another thread.
std::vector<uint32_t> next_conflicts(TraceView trace) {
  struct Nearest {
    uint32_t any = kNoStep, write = kNoStep;
  };
  const auto steps = trace.steps();
  std::vector<uint32_t> next(steps.size(), kNoStep);
  std::map<ObjectId, std::map<ThreadId, Nearest>> following;
  for (uint32_t i = static_cast<uint32_t>(steps.size()); i-- > 0;)
    for (const Access& access : accesses(steps[i].operation())) {
      auto& by_thread = following[access.object];
      for (const auto& [thread, nearest] : by_thread)
        if (thread != steps[i].thread) next[i] = std::min(next[i], access.write ? nearest.any : nearest.write);
      Nearest& mine = by_thread[steps[i].thread];
      mine.any = i;
      if (access.write) mine.write = i;
    }
  return next;
}

class DebuggerData {
 public:
  DebuggerData(const Finding& finding, Symbols& symbols)
      : finding_(finding), trace_(finding.trace), names_(finding.trace, symbols, &finding.seen) {
    for (const std::span<const Step> part : {trace_.steps(), trace_.pending()})
      for (const Step& step : part) threads_.insert(step.thread);
  }

  Json json() {
    Json rows = this->rows();
    return {{"kind", name_of(finding_.kind)}, {"message", finding_.message}, {"file", finding_.location.file},
            {"line", finding_.location.line}, {"threads", threads()},        {"stop", stop()},
            {"rows", std::move(rows)},        {"creation", creation()},      {"end", at_the_end()}};
  }

 private:
  Json threads() const {
    Json names = Json::object();
    for (const ThreadId t : threads_) names[std::to_string(index_of(t))] = names_.thread(t);
    return names;
  }

  // True for a misuse of a lock that is a step: its record is the last one before, of the same thread.
  bool is_step_of_its_own() const {
    if (!finding_.race || !finding_.race->misuse()) return false;
    const RaceAccess& misused = finding_.race->second;
    return misused.step > 0 && misused.step <= trace_.steps().size() &&
           trace_.steps()[misused.step - 1].thread == misused.thread;
  }

  // Where to stop. An execution that fails stops without help.
  Json stop() const {
    if (finding_.observed) return {{"at", "check"}};
    if (is_step_of_its_own()) return {{"at", "record"}, {"record", finding_.race->second.step}};
    if (finding_.race && finding_.race->second.pc) {
      const auto& [first, second] = *finding_.race;
      Json accesses = Json::array({access_json(second)});
      if (first.pc && !finding_.race->misuse()) accesses.push_back(access_json(first));
      return {{"at", "access"}, {"accesses", accesses}};
    }
    if (const auto& block = finding_.allocation; block && block->pc)
      return {{"at", "access"},
              {"accesses", {{{"thread", index_of(block->thread)}, {"pc", block->pc}, {"times", block->count + 1}}}}};
    if (!finding_.lock_cycle.empty()) return {{"at", "record"}, {"record", finding_.lock_cycle.back().step + 1}};
    if (!finding_.steps.empty()) return {{"at", "record"}, {"record", finding_.steps.back() + 1}};
    return {{"at", "end"}};
  }

  Json rows() {
    const std::vector<uint32_t> conflicts = next_conflicts(trace_);
    Json rows = Json::array();
    uint32_t records = 0;  // records before the row
    const StoryTable table = story_table(finding_, names_, glyphs(true), kRows);
    for (const StoryCell& cell : table.cells) {
      const StoryRow& row = cell.row;
      if (row.number == 0) continue;
      Json json{{"number", row.number}, {"thread", index_of(row.thread)}, {"text", cell.text}, {"place", cell.place}};
      if (row.kind == StoryRow::Operation) {
        records = row.index + 1;
        const Step& step = trace_.steps()[row.index];
        if (!step.is_note() && !step.is_choice()) json["enabled"] = enabled(step);
        if (conflicts[row.index] != kNoStep) json["conflict"] = conflicts[row.index] + 1;
        json["waits"] = row.waits;
      } else if (row.kind == StoryRow::Racing && is_step_of_its_own()) {
        records = finding_.race->second.step;
      } else if (row.kind == StoryRow::Racing) {
        json["access"] = finding_.race->misuse() ? 0 : 1 - row.index;  // as in stop()
      } else {
        json["waits"] = true;
      }
      json["record"] = records;
      json["step"] = row.kind == StoryRow::Operation || (row.kind == StoryRow::Racing && is_step_of_its_own());
      rows.push_back(std::move(json));
    }
    return rows;
  }

  // Creations and joins, which have no rows in the story.
  Json creation() const {
    Json list = Json::array();
    uint32_t record = 0;
    for (const Step& step : trace_.steps()) {
      ++record;
      if (step.kind == OpKind::Create || step.kind == OpKind::Join)
        list.push_back({{"thread", index_of(step.thread)}, {"text", operation_text(step, names_)}, {"record", record}});
    }
    return list;
  }

  Json enabled(const Step& step) const {
    Json list = Json::array();
    for (const ThreadId t : threads_)
      if (trace_.enabled(step).contains(t)) list.push_back(index_of(t));
    return list;
  }

  // The pending operation of each unfinished thread.
  Json at_the_end() const {
    Json list = Json::array();
    for (const Step& step : trace_.pending()) {
      Json json{{"thread", index_of(step.thread)},
                {"text", operation_text(step, names_)},
                {"waits", (step.flags & Step::kBlocked) != 0}};
      if (auto frame = innermost_user_frame(names_.stack_of_pending(step.thread), names_.symbols()))
        json["place"] = short_place(frame->where);
      list.push_back(std::move(json));
    }
    return list;
  }

  const Finding& finding_;
  TraceView trace_;
  TraceNames names_;
  std::set<ThreadId> threads_;
};

}  // namespace

std::string debugger_data(const Finding& finding, Symbols& symbols, const std::string& story) {
  Json json = DebuggerData(finding, symbols).json();
  json["story"] = story;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep
