// Counts distinct behaviours and writes them as CSV.
#include "search/exploration/coverage.hpp"

#include <algorithm>
#include <cstdio>

namespace lockstep {
namespace {

constexpr uint64_t kEach = 1000;        // these first executions all have a row
constexpr uint64_t kOneInSoMany = 100;  // after that, the execution number grows by this fraction from row to row

}  // namespace

// A trace counts for the fewest preemptions with which it has been seen so far. If a search meets a trace with more
// preemptions first, the trace counts there.
void Coverage::add(uint64_t fingerprint, uint32_t preemptions, uint64_t execution, double seconds) {
  const bool fresh = seen_.insert(fingerprint).second;
  Row& level = by_preemptions_.try_emplace(preemptions, Row{preemptions, 0, 0, 0}).first->second;
  ++level.executions;
  level.traces += fresh;
  level.seconds = seconds;
  last_ = {execution, execution, seconds, seen_.size()};
  const uint64_t before = by_execution_.empty() ? 0 : by_execution_.back().at;
  if (execution <= kEach || execution >= before + before / kOneInSoMany) by_execution_.push_back(last_);
}

void Coverage::clear() { *this = {}; }

std::vector<Coverage::Level> Coverage::levels() const {
  std::vector<Level> levels;
  for (const auto& [preemptions, row] : by_preemptions_) levels.push_back({preemptions, row.executions, row.traces});
  return levels;
}

void Coverage::save(StateWriter& out) const {
  out.put_all(std::vector<uint64_t>(seen_.begin(), seen_.end()));
  std::vector<Row> levels;
  for (const auto& [preemptions, row] : by_preemptions_) levels.push_back(row);
  out.put_all(levels);
  out.put_all(by_execution_);
  out.put(last_);
}

void Coverage::load(StateReader& in) {
  const std::vector<uint64_t> seen = in.get_all<uint64_t>();
  seen_.insert(seen.begin(), seen.end());
  for (const Row& row : in.get_all<Row>()) by_preemptions_[static_cast<uint32_t>(row.at)] = row;
  by_execution_ = in.get_all<Row>();
  last_ = in.get<Row>();
}

std::string Coverage::csv() const {
  std::string text = "series,at,executions,seconds,traces\n";
  const auto add = [&text](const char* series, const Row& row) {
    char line[128];
    std::snprintf(line, sizeof line, "%s,%llu,%llu,%.6f,%llu\n", series, static_cast<unsigned long long>(row.at),
                  static_cast<unsigned long long>(row.executions), row.seconds,
                  static_cast<unsigned long long>(row.traces));
    text += line;
  };
  for (const Row& row : by_execution_) add("execution", row);
  if (!by_execution_.empty() && by_execution_.back().at != last_.at) add("execution", last_);
  Row sum{};
  for (const auto& [preemptions, row] : by_preemptions_) {
    sum = {preemptions, sum.executions + row.executions, std::max(sum.seconds, row.seconds), sum.traces + row.traces};
    add("preemptions", sum);
  }
  return text;
}

}  // namespace lockstep
