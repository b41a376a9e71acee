// Exploring for traces rather than schedules.
#pragma once
#include <cstdlib>
#include <map>
#include <set>

#include "analysis/fingerprint.hpp"
#include "brute_force.hpp"
#include "search_helpers.hpp"
#include "trace_rows.hpp"

namespace lockstep::fake {

// How an execution ended and in which state; failures by what failed, because others are stopped anywhere.
inline std::string end_of(const Program& p, TraceView trace) {
  if (trace.outcome() == Outcome::Assertion) return "assertion " + std::string(trace.message());
  if (trace.outcome() != Outcome::Ok) return name_of(trace.outcome());
  Machine machine(p);
  const auto steps = trace.steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].is_note() || steps[i].is_choice()) continue;
    const bool chooses = i + 1 < steps.size() && steps[i + 1].is_choice();
    machine.step(index_of(steps[i].thread) - 1, chooses ? steps[i + 1].taken() : 0);
  }
  std::string text;
  for (const Value v : machine.key()) text += std::to_string(v) + " ";
  return text;
}

class Traces final : public Analysis {
 public:
  const char* name() const override { return "traces"; }
  const char* summary() const override { return "collects traces"; }
  std::optional<Finding> check(TraceView trace) override {
    if (trace.outcome() == Outcome::Redundant) {
      ++blocked;
      return std::nullopt;
    }
    ++executions;
    all_end_well &= trace.outcome() == Outcome::Ok;
    const uint32_t preemptions = count_preemptions(trace);
    const auto [known, fresh] = cost.emplace(fingerprint_of(trace).low, preemptions);
    if (!fresh) known->second = std::min(known->second, preemptions);
    return std::nullopt;
  }
  std::map<uint64_t, uint32_t> cost;  // of each trace: preemptions of the cheapest execution seen
  uint64_t blocked = 0, executions = 0;
  bool all_end_well = true;

  std::set<uint64_t> within(uint32_t bound) const {
    std::set<uint64_t> found;
    for (const auto& [trace, preemptions] : cost)
      if (preemptions <= bound) found.insert(trace);
    return found;
  }
  std::set<uint64_t> distinct() const { return within(~0u); }
};

struct Reduced {
  Exploration result;
  Traces traces;
};

inline Reduced reduce(Search& strategy, const Program& p, FakeOptions options = {}, Budget budget = {}) {
  Reduced r;
  FakeExecutor executor(p, std::move(options));
  Analysis* analyses[] = {&r.traces};
  r.result = Explorer(strategy, executor, analyses, budget, false, {}).run();
  return r;
}

// LOCKSTEP_SOAK=n looks at n random programs instead of a few hundred.
inline uint64_t random_programs(uint64_t usually = 350) {
  const char* soak = std::getenv("LOCKSTEP_SOAK");
  return soak ? std::strtoull(soak, nullptr, 10) : usually;
}

// body(program, all its traces)
template <class Body>
void for_random_programs(Body body, uint64_t usually = 350) {
  for (uint64_t seed = 0; seed < random_programs(usually); ++seed) {
    const Program p = random_program(seed);
    if (total(count_schedules(p)) > 3000) continue;
    const auto strategy = dfs();
    body(p, reduce(*strategy, p).traces);
    if (testing::Test::HasFatalFailure()) return;
  }
}

inline std::string test_name(const testing::TestParamInfo<TraceRow>& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_row" + std::to_string(info.index);
}

}  // namespace lockstep::fake
