// Units of a search explored by a crew that works in this process, and what has to be the same however it works.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "known.hpp"
#include "search/exploration/unit_result.hpp"
#include "search_helpers.hpp"

namespace lockstep::fake {

inline constexpr size_t kWindow = 16;

using MakeSearch = std::function<std::unique_ptr<Search>()>;

struct Trouble {
  unsigned killed = 0, refused = 0, given_up = 0;  // percent of the units
};

// Explores units in this process, in an order that a seed decides.
class FakeCrew final : public Crew {
 public:
  FakeCrew(const Program& program, MakeSearch make, unsigned workers, uint64_t seed, Trouble trouble,
           uint64_t& explored)
      : program_(program),
        make_(std::move(make)),
        workers_(workers),
        random_(seed),
        trouble_(trouble),
        explored_(explored) {}

  bool has_room() const override { return units_.size() < workers_; }
  size_t under_way() const override { return units_.size(); }
  void submit(const Unit& unit) override { units_.push_back(unit); }
  std::optional<UnitResult> next(const std::function<bool()>& interrupted) override {
    if (interrupted()) return std::nullopt;
    const size_t chosen = random_() % units_.size();
    const Unit unit = units_[chosen];
    while (random_() % 100 < trouble_.killed) (void)explore(unit);  // a worker that is killed has done nothing
    units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(chosen));
    ++explored_;
    if (random_() % 100 < trouble_.given_up) return UnitResult{.number = unit.number, .given_up = true};
    return explore(unit);
  }
  bool accept(const UnitResult&, bool is_first) override { return is_first || random_() % 100 >= trouble_.refused; }
  void hurry() override { hurried_ = true; }
  bool failed() const override { return false; }

 private:
  UnitResult explore(const Unit& unit) {
    FakeExecutor executor(program_, {.window = kWindow});
    OutcomeAnalysis outcome;
    Analysis* analyses[] = {&outcome};
    const auto search = make_();
    return *explore_unit(unit, *search, executor, {.analyses = analyses, .points = {}}, [this] { return hurried_; });
  }

  const Program& program_;
  const MakeSearch make_;
  const unsigned workers_;
  std::mt19937_64 random_;
  const Trouble trouble_;
  uint64_t& explored_;  // units, of all crews of a run
  bool hurried_ = false;
  std::vector<Unit> units_;
};

struct CrewRun {
  Exploration result;
  uint64_t units = 0;           // that a crew explored
  std::set<uint64_t> traces{};  // fingerprints
};

inline CrewRun run(const Program& program, const MakeSearch& make, unsigned workers, Budget budget = {},
                   bool keep_going = false, uint64_t seed = 1, Trouble trouble = {},
                   const std::function<void(ExplorerHooks&)>& change = {}) {
  CrewRun run;
  FakeExecutor executor(program, {.window = kWindow});
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  ExplorerHooks hooks;
  hooks.crew_after = {};
  hooks.longest_for_crew = std::chrono::hours(1);
  if (workers > 1)
    hooks.start_crew = [&] { return std::make_unique<FakeCrew>(program, make, workers, seed, trouble, run.units); };
  hooks.executed = [&](uint64_t fingerprint, uint32_t, uint64_t, double) { run.traces.insert(fingerprint); };
  if (change) change(hooks);
  const auto search = make();
  run.result = Explorer(*search, executor, analyses, budget, keep_going, std::move(hooks)).run();
  return run;
}

struct TwoParts {
  Exploration first, all;
};
// Interrupted after so many looks, then resumed to its end.
inline TwoParts in_two_parts(const Program& program, const MakeSearch& make, unsigned workers, uint64_t looks_allowed) {
  std::string state;
  uint64_t looks = 0;
  const auto stop = [&](ExplorerHooks& hooks) {
    hooks.interrupted = [&] { return ++looks > looks_allowed; };
    hooks.save = [&](const auto& write) {
      StateWriter out;
      write(out);
      state = out.bytes();
    };
  };
  TwoParts parts{run(program, make, workers, {}, true, 1, {}, stop).result, {}};
  if (parts.first.ending != Ending::Interrupted) return parts;
  FakeExecutor executor(program, {.window = kWindow});
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  const auto search = make();
  Explorer rest(*search, executor, analyses, {}, true, {});
  rest.resume_from(state);
  parts.all = rest.run();
  return parts;
}

inline void expect_same(const Exploration& r, const Exploration& one, const std::string& what) {
  EXPECT_EQ(r.executions, one.executions) << what;
  EXPECT_EQ(r.traces, one.traces) << what;
  EXPECT_EQ(r.redundant, one.redundant) << what;
  EXPECT_EQ(r.ended, one.ended) << what;
  EXPECT_EQ(r.cut, one.cut) << what;
  EXPECT_EQ(r.verdict, one.verdict) << what;
  EXPECT_EQ(r.ending, one.ending) << what;
  EXPECT_EQ(known(r), known(one)) << what;
  EXPECT_EQ(r.claim.preemptions_completed, one.claim.preemptions_completed) << what;
  EXPECT_EQ(r.by_preemptions, one.by_preemptions) << what;
  EXPECT_EQ(r.steps_max, one.steps_max) << what;
  ASSERT_EQ(r.bugs.size(), one.bugs.size()) << what;
  for (size_t i = 0; i < r.bugs.size(); ++i) {
    EXPECT_EQ(r.bugs[i].execution, one.bugs[i].execution) << what;
    EXPECT_EQ(r.bugs[i].fingerprint, one.bugs[i].fingerprint) << what;
    EXPECT_EQ(r.bugs[i].plan.deltas, one.bugs[i].plan.deltas) << what;
  }
}

}  // namespace lockstep::fake
