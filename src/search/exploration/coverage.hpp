// Coverage: how fast an exploration meets new behaviours. Counts distinct happens-before fingerprints by execution, by
// time and by number of preemptions (the measure of Musuvathi & Qadeer 2007).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "search/base/saved_state.hpp"

namespace lockstep {

class Coverage {
 public:
  // Adds an execution that reached its end. `execution` and `seconds` count from the start of the exploration.
  void add(uint64_t fingerprint, uint32_t preemptions, uint64_t execution, double seconds);
  void clear();  // the search starts over with other behaviours

  // Columns: series, at, executions, seconds, traces. Series `execution` has a row for each of the first thousand
  // executions and then for every one percent more. Series `preemptions` has a row for each number: what executions
  // with at most that many preemptions have shown.
  std::string csv() const;

  struct Level {
    uint32_t preemptions;
    uint64_t executions, traces;  // with exactly this number of preemptions; new traces among them
  };
  std::vector<Level> levels() const;  // ascending
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Row {
    uint64_t at, executions;
    double seconds;
    uint64_t traces;
  };
  std::unordered_set<uint64_t> seen_;
  std::map<uint32_t, Row> by_preemptions_;  // executions and new traces with exactly this number; seconds of the last
  std::vector<Row> by_execution_;
  Row last_{};
};

}  // namespace lockstep
