// Exploring a fake program in one call, and looking at what was executed.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/outcome.hpp"
#include "fake_executor.hpp"
#include "model/schedule.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/bounded.hpp"
#include "search/tree/tree_search.hpp"

namespace lockstep::fake {

// All decisions of an execution, in order: two executions are the same iff these are.
using Schedule = std::vector<uint16_t>;

inline Schedule schedule_of(TraceView trace) {
  Schedule schedule;
  for (ScheduleCursor at(trace); !at.done(); at.advance())
    if (!at.step().is_note()) schedule.push_back(at.taken());
  return schedule;
}

// Writes down every execution and finds nothing wrong.
class Recorder final : public Analysis {
 public:
  const char* name() const override { return "recorder"; }
  const char* summary() const override { return "records executions"; }
  std::optional<Finding> check(TraceView trace) override {
    schedules.push_back(schedule_of(trace));
    preemptions.push_back(count_preemptions(trace));
    outcomes.push_back(trace.outcome());
    return std::nullopt;
  }
  std::vector<Schedule> schedules;
  std::vector<uint32_t> preemptions;
  std::vector<Outcome> outcomes;
};

struct Explored {
  Exploration result;
  Recorder seen;

  std::vector<Schedule> sorted() const {
    std::vector<Schedule> schedules = seen.schedules;
    std::sort(schedules.begin(), schedules.end());
    return schedules;
  }
  // Those with at most so many preemptions, sorted.
  std::vector<Schedule> within(uint32_t bound) const {
    std::vector<Schedule> schedules;
    for (size_t i = 0; i < seen.schedules.size(); ++i)
      if (seen.preemptions[i] <= bound) schedules.push_back(seen.schedules[i]);
    std::sort(schedules.begin(), schedules.end());
    return schedules;
  }
};

inline Explored explore(Search& strategy, const Program& program, FakeOptions options = {}, Budget budget = {}) {
  Explored explored;
  ExplorerHooks hooks;
  hooks.must_repeat = !options.tamper;  // more behaviours than are claimed would be a mistake of the search
  FakeExecutor executor(program, std::move(options));
  Analysis* analyses[] = {&explored.seen};
  explored.result = Explorer(strategy, executor, analyses, budget, false, std::move(hooks)).run();
  return explored;
}

inline bool all_distinct(const std::vector<Schedule>& sorted) {
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

inline std::unique_ptr<Search> dfs(std::optional<uint32_t> bound = {}) { return make_dfs({.preemptions = bound}); }
inline std::unique_ptr<Search> icb(std::optional<uint32_t> bound = {}) { return make_icb({.preemptions = bound}); }

}  // namespace lockstep::fake
