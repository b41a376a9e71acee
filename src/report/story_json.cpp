// Writes a story as JSON tables.
#include "report/story_json.hpp"

#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "report/operation_text.hpp"
#include "report/step_order.hpp"
#include "report/story_cells.hpp"
#include "report/summary.hpp"
#include "report/user_frames.hpp"
#include "report/wait_text.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kAllRows = static_cast<size_t>(-1);
constexpr size_t kKeyRows = 60;                   // about so many stay when only the steps that matter are shown
constexpr size_t kSourceBytes = 1u << 20;         // of a file
constexpr size_t kSameRows = 5, kOtherRows = 60;  // of the passing schedule, before and behind the first difference
constexpr size_t kOutputBytes = 64u << 10;        // of what the program printed, from its end

// Numbers values in the order in which they were first used.
template <class T>
class Table {
 public:
  template <class Make>
  int number(const T& key, Make&& make) {
    auto [at, fresh] = numbers_.try_emplace(key, static_cast<int>(numbers_.size()));
    if (fresh) {
      rows_.push_back(nullptr);  // reserves the number, because `make` may add more values
      Json row = make();
      rows_[static_cast<size_t>(at->second)] = std::move(row);
    }
    return at->second;
  }
  Json take() { return std::move(rows_); }

 private:
  std::map<T, int> numbers_;
  Json rows_ = Json::array();
};

class StoryModel {
 public:
  StoryModel(const Finding& finding, Symbols& symbols)
      : finding_(finding),
        symbols_(symbols),
        names_(finding.trace, symbols, &finding.seen),
        table_(story_table(finding, names_, glyphs(true), kAllRows, Creation::Unnumbered)),
        cells_(table_.cells),
        row_of_step_(names_.trace().steps().size(), -1) {
    for (size_t i = 0; i < cells_.size(); ++i)
      if (cells_[i].row.kind == StoryRow::Operation) row_of_step_[cells_[i].row.index] = static_cast<int>(i);
    // A step without a row belongs to the previous row of its thread.
    std::map<ThreadId, int> last;
    for (size_t i = 0; i < row_of_step_.size(); ++i) {
      int& newest = last.try_emplace(names_.trace().steps()[i].thread, -1).first->second;
      if (row_of_step_[i] < 0) row_of_step_[i] = newest;
      newest = row_of_step_[i];
    }
  }

  Json build(const std::vector<std::string>& program) {
    name_threads();
    Json json = header(program);
    json["rows"] = rows();
    json["holds"] = holds();
    json["waits"] = waits();
    json["edges"] = edges();
    if (finding_.kind == FindingKind::Deadlock) json["waits_for"] = waits_for();
    if (!finding_.cause.passing.empty()) json["passing"] = passing();
    json["threads"] = threads();
    json["legend"] = names_.legend();
    json["objects"] = objects_.take();
    json["texts"] = texts_.take();
    json["stacks"] = stacks_.take();
    json["frames"] = frames_.take();
    json["files"] = files_.take();
    return json;
  }

 private:
  Json header(const std::vector<std::string>& program) const {
    const Location& where = finding_.location;
    Json json = {{"schema", 1},
                 {"program", program},
                 {"kind", name_of(finding_.kind)},
                 {"message", finding_.message},
                 {"execution", finding_.execution},
                 {"preemptions", finding_.preemptions},
                 {"thread_count", finding_.threads},
                 {"place", short_place(where)},
                 {"function", where.function},
                 {"schedule", finding_.schedule},
                 {"replay", finding_.schedule.empty() ? "" : "lockstep replay " + shell_word(finding_.schedule)}};
    if (!finding_.cause.text.empty()) json["why"] = why();
    if (!finding_.test.empty()) json["test"] = finding_.test;
    if (const std::string values = operand_text(finding_); !values.empty()) json["values"] = values;
    if (!finding_.output.empty()) {
      const size_t begin = finding_.output.size() > kOutputBytes ? finding_.output.size() - kOutputBytes : 0;
      json["output"] = finding_.output.substr(begin);
    }
    return json;
  }

  // The orders it depends on, by numbers of rows; none if one of them has no row of its own.
  Json why() const {
    Json orders = Json::array();
    bool complete = true;
    for (const NeededOrder& order : finding_.cause.orders) {
      const uint32_t first = number_of(order.first), second = number_of(order.second);
      orders.push_back({{"first", first}, {"second", second}, {"reversed", "passes"}});
      complete &= first != 0 && second != 0;
    }
    if (!complete) orders.clear();
    Json json = {{"text", Json::array({finding_.cause.text})}, {"orders", std::move(orders)}};
    if (!finding_.cause.unordered.empty()) json["unordered"] = finding_.cause.unordered;
    return json;
  }

  uint32_t number_of(uint32_t step) const {
    const auto steps = static_cast<uint32_t>(names_.trace().steps().size());
    const auto& numbers = step < steps ? table_.numbers : table_.pending;
    const auto at = numbers.find(step < steps ? step : step - steps);
    return at == numbers.end() ? 0 : at->second;
  }

  // The nearest schedule that passes, around the first step that differs. Steps count as in the terminal, from 0.
  Json passing() const {
    Finding other;
    other.trace = finding_.cause.passing;
    TraceNames names(other.trace, symbols_, &finding_.seen);
    const StoryTable table = story_table(other, names, glyphs(true), kAllRows);
    const auto numbered = [](const StoryTable& from) {
      std::vector<const StoryCell*> list;
      for (const StoryCell& cell : from.cells)
        if (cell.row.number != 0) list.push_back(&cell);
      return list;
    };
    const auto fails = numbered(table_), passes = numbered(table);
    size_t at = 0;
    const auto same = [&](const StoryCell& a, const StoryCell& b) {
      return a.row.thread == b.row.thread && a.text == b.text && a.place == b.place;
    };
    while (at < fails.size() && at < passes.size() && same(*fails[at], *passes[at])) ++at;
    const size_t first = at - std::min(at, kSameRows);
    Json rows = Json::array();
    for (size_t i = first; i < std::min(passes.size(), at + kOtherRows); ++i)
      rows.push_back(
          {{"thread", column(passes[i]->row.thread)}, {"text", passes[i]->text}, {"place", passes[i]->place}});
    return {{"first", first}, {"difference", at}, {"rows", std::move(rows)}};
  }

  void name_threads() {
    const auto see = [this](ThreadId t) {
      if (t != kNoThread) columns_.emplace(t, 0);
    };
    for (const Step& step : names_.trace().steps()) {
      see(step.thread);
      if (step.kind == OpKind::Create) see(step.second.thread());
    }
    for (const StoryCell& cell : cells_) see(cell.row.thread), see(cell.row.other);
    int column = 0;
    for (auto& [thread, number] : columns_) number = column++;
  }
  int column(ThreadId t) const {
    const auto at = columns_.find(t);
    return at == columns_.end() ? -1 : at->second;
  }

  Json threads() {
    std::map<ThreadId, int> created;
    const auto steps = names_.trace().steps();
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].kind == OpKind::Create) created.try_emplace(steps[i].second.thread(), row_of_step_[i]);
    Json list = Json::array();
    for (const auto& [thread, number] : columns_) {
      Json json = {{"name", names_.thread(thread)}, {"end", end_of(thread)}};
      if (const auto at = created.find(thread); at != created.end()) json["created"] = at->second;
      list.push_back(std::move(json));
    }
    return list;
  }

  std::string end_of(ThreadId thread) const {
    const TraceHeader& header = names_.trace().header();
    if (thread == header.culprit && header.outcome != Outcome::Ok) return "failed";
    for (const Step& op : names_.trace().pending())
      if (op.thread == thread) return (op.flags & Step::kBlocked ? "waits: " : "next: ") + operation_text(op, names_);
    return "finished";
  }

  // The rows that the terminal would show.
  std::vector<bool> key_rows() const {
    std::vector<StoryRow> all;
    for (const StoryCell& cell : cells_) all.push_back(cell.row);
    std::vector<bool> key = rows_worth_telling(all, names_.trace(), kKeyRows);
    for (size_t i = 0; i < all.size(); ++i) key[i] = key[i] || all[i].kind == StoryRow::Preempted;
    return key;
  }

  Json rows() {
    static constexpr const char* kKinds[] = {"operation", "blocked", "switch", "failure", "skipped", "racing"};
    const std::vector<bool> key = key_rows();
    Json kind, thread, text, stack, object, number, keys;
    for (Json* column : {&kind, &thread, &text, &stack, &object, &number, &keys}) *column = Json::array();
    for (size_t i = 0; i < cells_.size(); ++i) {
      const StoryCell& cell = cells_[i];
      const bool is_switch = cell.row.kind == StoryRow::Preempted;
      kind.push_back(static_cast<int>(cell.row.kind));
      thread.push_back(column(is_switch ? cell.row.other : cell.row.thread));
      text.push_back(text_number(is_switch ? fmt::format("preempts {}", names_.thread(cell.row.thread)) : cell.text));
      stack.push_back(stack_number(cell.frames));
      object.push_back(object_number(cell.row));
      number.push_back(cell.row.number);
      keys.push_back(static_cast<int>(key[i]));
    }
    return {{"kinds", kKinds},
            {"kind", std::move(kind)},
            {"thread", std::move(thread)},
            {"text", std::move(text)},
            {"stack", std::move(stack)},
            {"object", std::move(object)},
            {"number", std::move(number)},
            {"key", std::move(keys)}};
  }

  int text_number(const std::string& text) {
    return texts_.number(text, [&] { return Json(text); });
  }

  int stack_number(const std::vector<Frame>& frames) {
    if (frames.empty()) return -1;
    std::vector<int> numbers;
    for (const Frame& frame : frames) {
      const Location& where = frame.where;
      numbers.push_back(frames_.number({where.function, where.file, where.line}, [&] {
        return Json::array({where.function, file_number(where.file), where.line});
      }));
    }
    return stacks_.number(numbers, [&] { return Json(numbers); });
  }

  int file_number(const std::string& file) {
    if (file.empty()) return -1;
    return files_.number(file, [&] {
      Json json = {{"path", file}};
      std::ifstream in(file);
      std::string text;
      for (std::string line; text.size() < kSourceBytes && std::getline(in, line);) text += line + "\n";
      if (!text.empty()) json["text"] = std::move(text);
      return json;
    });
  }

  int object_number(ObjectId object, const char* noun) {
    return objects_.number(object, [&] {
      return Json{{"name", names_.object(object)}, {"kind", noun ? noun : "object"}};
    });
  }
  int object_number(const StoryRow& row) {
    if (row.kind == StoryRow::Racing) {
      const RaceAccess& access = row.index == 0 ? finding_.race->first : finding_.race->second;
      return object_number(ObjectId(access.address), "variable");
    }
    if (row.kind != StoryRow::Operation && row.kind != StoryRow::Blocked) return -1;
    const Step& step = row.pending ? names_.trace().pending()[row.index] : names_.trace().steps()[row.index];
    const char* noun = name_of(traits(step.kind).primitive);
    return noun && step.object != kNoObject ? object_number(step.object, noun) : -1;
  }

  Json holds() {
    Json list = Json::array();
    for (const Hold& hold : lock_holds(names_.trace())) {
      const int last = hold.last == kNever ? -1 : row_of_step_[hold.last];
      list.push_back(Json::array({column(hold.thread), object_number(hold.object, "mutex"), row_of_step_[hold.first],
                                  last, static_cast<int>(hold.shared)}));
    }
    return list;
  }

  Json waits() {
    std::vector<StoryRow> all;
    for (const StoryCell& cell : cells_) all.push_back(cell.row);
    const auto row = [](uint32_t index) { return index == kNever ? -1 : static_cast<int>(index); };
    Json list = Json::array();
    for (const Wait& wait : waits_of(all, names_.trace()))
      list.push_back(Json::array({column(wait.thread), row(wait.first), row(wait.last), row(wait.ended_by)}));
    return list;
  }

  Json edges() {
    Json list = Json::array();
    for (const OrderEdge& edge : order_edges(names_.trace())) {
      const int from = row_of_step_[edge.from], to = row_of_step_[edge.to];
      if (from >= 0 && to >= 0 && from < to) list.push_back(Json::array({from, to, static_cast<int>(edge.kind)}));
    }
    return list;
  }

  Json waits_for() {
    const WaitGraph graph = wait_graph(names_.trace());
    Json edges = Json::array(), cycle = Json::array();
    for (const WaitGraph::Edge& edge : graph.edges) {
      Json holders = Json::array();
      for (const ThreadId holder : edge.holders) holders.push_back(column(holder));
      const bool join = edge.kind == OpKind::Join;
      edges.push_back({{"thread", column(edge.waiter)},
                       {"object", join ? -1 : object_number(edge.object, name_of(traits(edge.kind).primitive))},
                       {"operation", name_of(edge.kind)},
                       {"holders", std::move(holders)}});
    }
    for (const ThreadId thread : graph.cycle) cycle.push_back(column(thread));
    return {{"text", describe_waits(graph, names_)}, {"edges", std::move(edges)}, {"cycle", std::move(cycle)}};
  }

  const Finding& finding_;
  Symbols& symbols_;
  TraceNames names_;
  const StoryTable table_;
  const std::vector<StoryCell>& cells_;
  std::vector<int> row_of_step_;  // -1: no row yet
  std::map<ThreadId, int> columns_;
  Table<ObjectId> objects_;
  Table<std::string> texts_, files_;
  Table<std::tuple<std::string, std::string, int>> frames_;
  Table<std::vector<int>> stacks_;
};

}  // namespace

Json story_json(const Finding& finding, Symbols& symbols, const std::vector<std::string>& program) {
  return StoryModel(finding, symbols).build(program);
}

}  // namespace lockstep
