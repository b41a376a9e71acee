// Writes tracks, slices and arrows.
#include "report/perfetto.hpp"

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kThreads = 1, kLocks = 2;  // processes of the trace
constexpr int kStep = 10;                // µs

class Tracks {
 public:
  explicit Tracks(const Json& story) : story_(story), rows_(story["rows"]) {}

  Json events() {
    name_tracks();
    const int size = static_cast<int>(rows_["kind"].size());
    for (int row = 0; row < size; ++row) step(row);
    for (const Json& wait : story_["waits"]) {
      const int first = wait[1].get<int>() + 1, last = wait[2] < 0 ? size : wait[2].get<int>();
      if (last > first) slice(kThreads, wait[0], first, last, "waits", "wait");
    }
    for (const Json& hold : story_["holds"])
      slice(kLocks, hold[1], hold[2], hold[3] < 0 ? size : hold[3].get<int>() + 1,
            story_["threads"][hold[0].get<size_t>()]["name"], hold[4] == 1 ? "held for reading" : "held");
    int id = 0;
    for (const Json& edge : story_["edges"]) flow(edge, ++id);
    return std::move(events_);
  }

 private:
  void name_tracks() {
    const auto name = [this](int process, int track, const Json& text, const char* what) {
      events_.push_back({{"ph", "M"}, {"pid", process}, {"tid", track}, {"name", what}, {"args", {{"name", text}}}});
    };
    name(kThreads, 0, "threads", "process_name");
    name(kLocks, 0, "locks", "process_name");
    int track = 0;
    for (const Json& thread : story_["threads"]) name(kThreads, track++, thread["name"], "thread_name");
    std::vector<bool> named(story_["objects"].size());
    for (const Json& hold : story_["holds"]) {
      const auto object = hold[1].get<size_t>();
      if (!named[object]) name(kLocks, hold[1], story_["objects"][object]["name"], "thread_name");
      named[object] = true;
    }
  }

  void step(int row) {
    const auto at = static_cast<size_t>(row);
    const Json& text = story_["texts"][rows_["text"][at].get<size_t>()];
    const int thread = rows_["thread"][at];
    if (rows_["kinds"][rows_["kind"][at].get<size_t>()] == "switch") {
      events_.push_back(
          {{"ph", "i"}, {"s", "p"}, {"pid", kThreads}, {"tid", thread}, {"ts", row * kStep}, {"name", text}});
      return;
    }
    Json args = {{"step", rows_["number"][at]}};
    if (const int stack = rows_["stack"][at]; stack >= 0) {
      const Json& frame = story_["frames"][story_["stacks"][static_cast<size_t>(stack)][0].get<size_t>()];
      args["function"] = frame[0];
      if (const int file = frame[1]; file >= 0) args["file"] = story_["files"][static_cast<size_t>(file)]["path"];
      args["line"] = frame[2];
    }
    slice(kThreads, thread, row, row + 1, text, rows_["kinds"][rows_["kind"][at].get<size_t>()], std::move(args));
  }

  void slice(int process, int track, int first, int last, const Json& name, const Json& category,
             Json args = Json::object()) {
    events_.push_back({{"ph", "X"},
                       {"pid", process},
                       {"tid", track},
                       {"ts", first * kStep},
                       {"dur", (last - first) * kStep},
                       {"name", name},
                       {"cat", category},
                       {"args", std::move(args)}});
  }

  // An arrow from one step to another.
  void flow(const Json& edge, int id) {
    static constexpr const char* kNames[] = {"conflict", "wakes", "starts", "ends"};
    for (const int end : {0, 1}) {
      const int row = edge[static_cast<size_t>(end)];
      Json event = {{"ph", end ? "f" : "s"},
                    {"pid", kThreads},
                    {"tid", rows_["thread"][static_cast<size_t>(row)]},
                    {"ts", row * kStep + kStep / 2},
                    {"id", id},
                    {"name", kNames[edge[2].get<size_t>()]},
                    {"cat", "order"}};
      if (end) event["bp"] = "e";
      events_.push_back(std::move(event));
    }
  }

  const Json& story_;
  const Json& rows_;
  Json events_ = Json::array();
};

}  // namespace

std::string perfetto_trace(const Json& story) {
  const Json trace = {
      {"displayTimeUnit", "ms"},
      {"otherData", {{"program", story["program"]}, {"kind", story["kind"]}, {"message", story["message"]}}},
      {"traceEvents", Tracks(story).events()}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
