#include "report/html.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "report/page/page.hpp"
#include "report/story_cells.hpp"
#include "report/summary.hpp"
#include "report/user_frames.hpp"
#include "report/wait_text.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kAllRows = 5000;  // more than anybody scrolls through
constexpr size_t kShortRows = 60;
constexpr size_t kSourceBytes = 1 << 20;

class Page {
 public:
  Page(const Finding& finding, Symbols& symbols) : finding_(finding), names_(finding.trace, symbols) {}

  std::string html() {
    const std::vector<StoryCell> shortened = cells(kShortRows), all = cells(kAllRows);
    for (const StoryCell& cell : all)
      if (cell.row.thread != kNoThread) threads_.emplace(cell.row.thread, 0);
    Json names = Json::array();
    for (auto& [thread, column] : threads_) {
      column = names.size();
      names.push_back(names_.thread(thread));
    }
    std::string kind = name_of(finding_.kind);
    for (char& c : kind) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    Json story = {{"kind", kind},
                  {"depth", fmt::format("{}, {}", plural(finding_.preemptions, "preemption"),
                                        plural(finding_.threads, "thread"))},
                  {"message", finding_.message},
                  {"why", why()},
                  {"replay", finding_.schedule.empty() ? "" : "lockstep replay " + shell_word(finding_.schedule)},
                  {"threads", names},
                  {"short", rows(shortened)},
                  {"all", rows(all)}};
    story["sources"] = sources_;
    return put_into_page(story.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  std::vector<StoryCell> cells(size_t limit) { return story_cells(finding_, names_, glyphs(true), limit); }

  std::string why() {
    if (finding_.kind != FindingKind::Deadlock) return "";
    const WaitGraph graph = wait_graph(names_.trace());
    const std::string cycle = cycle_text(graph, names_, glyphs(true).right);
    return cycle.empty() ? describe_waits(graph, names_) : cycle;
  }

  Json rows(const std::vector<StoryCell>& cells) {
    static constexpr const char* kKinds[] = {"operation", "blocked", "switch", "failure", "skipped", "racing"};
    Json list = Json::array();
    for (const StoryCell& cell : cells) {
      Json row = {{"kind", kKinds[cell.row.kind]}, {"text", cell.text}};
      if (cell.row.kind == StoryRow::Preempted)
        row["text"] = fmt::format("{} preempted → {}", names_.thread(cell.row.thread), names_.thread(cell.row.other));
      if (cell.row.number) row["number"] = cell.row.number;
      if (!cell.place.empty()) row["place"] = cell.place;
      if (cell.row.thread != kNoThread && cell.row.kind != StoryRow::Preempted) {
        row["thread"] = threads_.at(cell.row.thread);
        row["frames"] = frames(cell.frames);
      }
      list.push_back(std::move(row));
    }
    return list;
  }

  Json frames(const std::vector<Frame>& frames) {
    Json list = Json::array();
    for (const Frame& frame : frames) {
      Json json = {{"function", frame.where.function}, {"place", long_place(frame.where)}};
      if (frame.where.line > 0 && has_source(frame.where.file)) {
        json["source"] = frame.where.file;
        json["line"] = frame.where.line;
      }
      list.push_back(std::move(json));
    }
    return list;
  }

  bool has_source(const std::string& file) {
    if (auto known = sources_.find(file); known != sources_.end()) return !known->is_null();
    Json lines = nullptr;
    std::ifstream in(file);
    size_t bytes = 0;
    for (std::string line; bytes < kSourceBytes && std::getline(in, line); bytes += line.size() + 1)
      lines.push_back(line);
    sources_[file] = lines;
    return !lines.is_null();
  }

  // Nothing in the data may end the script it stands in.
  static std::string put_into_page(std::string data) {
    for (size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3) data.replace(at, 2, "<\\/");
    for (size_t at = 0; (at = data.find("<!--", at)) != std::string::npos; at += 5) data.replace(at, 4, "<\\u0021--");
    constexpr std::string_view kHole = "/*STORY*/null";
    std::string page = kTimelinePage;
    return page.replace(page.find(kHole), kHole.size(), data);
  }

  const Finding& finding_;
  TraceNames names_;
  std::map<ThreadId, size_t> threads_;
  Json sources_ = Json::object();
};

}  // namespace

std::string html_story(const Finding& finding, Symbols& symbols) { return Page(finding, symbols).html(); }

}  // namespace lockstep
