// The log of an exploration, for other programs (`--events`, lines of JSON) and as a page (`--report`). docs/usage.md
// lists the events and their keys.
#pragma once
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/json.hpp"

namespace lockstep {

class RunLog {
 public:
  struct Files {
    std::string events, page;  // empty: none
  };
  RunLog(Files files, std::vector<std::string> program, std::string strategy);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  // Later events belong to `test`; empty: the program as a whole.
  void start(const std::string& test);
  void progress(const std::string& test, const Progress& progress);
  void bound_finished(const std::string& test, uint32_t bound, uint64_t executions);
  void starts_over(const std::string& test, size_t points);
  void found(const std::string& test, const Finding& bug);
  void end(const std::string& test, const JsonReport& report, const Exploration& result);
  void close();  // the run is over: writes the final page

  std::string page() const;                         // the current page
  std::string problem() const { return problem_; }  // why a file could not be written; empty: no problem

 private:
  using Json = nlohmann::ordered_json;
  void add(const char* event, const std::string& test, Json keys);
  void write_page();
  void thin_out();

  const Files files_;
  const std::vector<std::string> program_;
  const std::string strategy_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point written_ = began_;
  FILE* lines_ = nullptr;
  std::vector<Json> events_;
  bool closed_ = false;
  std::string problem_;
};

}  // namespace lockstep
