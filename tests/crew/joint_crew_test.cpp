// Workers here and elsewhere as one crew: whoever explored a unit, it counts once and is what is true here.
#include "crew/joint_crew.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "crew/crew_messages.hpp"

namespace lockstep {
namespace {

// What exploring a unit gives: its number as fingerprint of its only execution.
UnitResult explored(uint64_t number, uint64_t fingerprint, Outcome outcome = Outcome::Ok) {
  StateWriter executions;
  executions.put_all(std::vector<ExecutionSummary>{{.fingerprint = fingerprint, .outcome = outcome}});
  return {.number = number, .executions = executions.bytes(), .target = pack(ProgramNews{})};
}

uint64_t fingerprint_of(const UnitResult& result) {
  return ExecutionReader(result.executions).executions().at(0).fingerprint;
}

class NoTarget final : public Target {
 public:
  size_t window() const override { return 1; }
  void submit(const Plan&) override {}
  std::optional<TraceView> next(const std::function<bool()>&) override { return std::nullopt; }
  void cancel() override {}
  const TargetInfo& info() const override { return info_; }
  std::vector<Module> modules() override { return {}; }
  std::vector<ThreadTable::Entry> threads() override { return {}; }
  std::string given_name(uint64_t) override { return {}; }
  std::vector<std::string> warnings() override { return {}; }
  Detailed run_detailed(Plan, Inspector*) override { return {}; }

 private:
  TargetInfo info_;
};

class Here final : public Crew {
 public:
  bool has_room() const override { return units.empty(); }
  size_t under_way() const override { return units.size(); }
  void submit(const Unit& unit) override { units.push_back(unit); }
  std::optional<UnitResult> next(const std::function<bool()>&) override {
    if (units.empty()) return std::nullopt;
    const Unit unit = units.front();
    units.pop_front();
    ++explored_here;
    if (hurried) return explored(unit.number, 0);
    return explored(unit.number, repeats ? unit.number : unit.number + ++changes,
                    unit.number % 10 == doubtful ? Outcome::Diverged : Outcome::Ok);
  }
  bool accept(const UnitResult&, bool) override { return true; }
  void hurry() override { hurried = true; }
  bool failed() const override { return false; }

  bool hurried = false;  // then what it explores is cut short
  std::deque<Unit> units;
  uint64_t explored_here = 0, changes = 1000, doubtful = 99;
  bool repeats = true;
};

class Elsewhere final : public RemoteOrders {
 public:
  explicit Elsewhere(uint64_t seed) : random_(seed) {}
  void describe(std::string search) override { described = std::move(search); }
  bool can_reach() const override { return reached; }
  unsigned workers() const override { return reached ? 3 : 0; }
  void submit(uint64_t number, std::string order) override {
    EXPECT_EQ(unpack_order(order)->unit.number, number);
    out.push_back(number);
  }
  std::optional<Answer> next(std::chrono::milliseconds) override {
    if (out.empty() || !reached) return std::nullopt;
    const auto chosen = out.begin() + static_cast<std::ptrdiff_t>(random_() % out.size());
    const uint64_t number = *chosen;
    out.erase(chosen);
    if (random_() % 100 < lost) return Answer{Answer::Lost, number};
    if (number % 10 == deadly) return Answer{Answer::Deadly, number};
    const std::string worker = "w" + std::to_string(random_() % 3);
    if (refused.contains(worker)) return Answer{Answer::Lost, number};
    const bool lies = worker == "w1" && answers++ >= lies_from;
    StateWriter bytes;
    put_result(bytes, explored(number, lies ? 7 : number, number % 10 == doubtful ? Outcome::Diverged : Outcome::Ok));
    return Answer{Answer::Done, number, worker, bytes.bytes()};
  }
  void take_back(uint64_t number) override { std::erase(out, number); }
  void refuse(const std::string& worker, bool used) override {
    refused.insert(worker);
    refused_too_late |= used;
  }

  std::string described;
  std::vector<uint64_t> out;
  std::set<std::string> refused;
  uint64_t lost = 0, deadly = 99, doubtful = 99, answers = 0, lies_from = ~uint64_t{0};
  bool reached = true, refused_too_late = false;

 private:
  std::mt19937_64 random_;
};

struct Explored {
  std::vector<uint64_t> right, wrong, given_up;  // units
  uint64_t here = 0;
  bool refused = false, too_late = false;
};

Explored explore(uint64_t units, bool works_here, uint64_t seed, const std::function<void(Elsewhere&, Here&)>& change,
                 const std::function<void(Elsewhere&, uint64_t done)>& later = {}) {
  NoTarget target;
  Elsewhere elsewhere(seed);
  auto local = std::make_unique<Here>();
  Here& here = *local;
  if (change) change(elsewhere, here);
  const auto crew =
      make_joint_crew(std::move(local), {.works_here = works_here, .search = "search"}, elsewhere, target);
  EXPECT_EQ(elsewhere.described, "search");
  Explored all;
  for (uint64_t next = 1, done = 0; done < units;) {
    for (; next <= units && crew->has_room(); ++next) crew->submit({.number = next});
    const std::optional<UnitResult> result = crew->next([] { return false; });
    if (!result) break;
    ++done;
    if (later) later(elsewhere, done);
    if (result->given_up) {
      all.given_up.push_back(result->number);
      continue;
    }
    EXPECT_TRUE(crew->accept(*result, false));
    (fingerprint_of(*result) == result->number ? all.right : all.wrong).push_back(result->number);
  }
  EXPECT_EQ(crew->under_way(), 0u);
  all.here = here.explored_here;
  all.refused = !elsewhere.refused.empty();
  all.too_late = elsewhere.refused_too_late;
  return all;
}

std::vector<uint64_t> sorted(std::vector<uint64_t> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<uint64_t> up_to(uint64_t last) {
  std::vector<uint64_t> numbers(last);
  for (uint64_t i = 0; i < last; ++i) numbers[i] = i + 1;
  return numbers;
}

TEST(JointCrew, ExploresEveryUnitOnceWhateverIsLost) {
  for (const bool works_here : {false, true})
    for (const uint64_t lost : {0, 10, 60})
      for (uint64_t seed = 0; seed < 10; ++seed) {
        const Explored all = explore(100, works_here, seed, [&](Elsewhere& e, Here&) { e.lost = lost; });
        EXPECT_EQ(sorted(all.right), up_to(100));
        if (!works_here) {
          EXPECT_EQ(all.here, 3u) << "the first of each worker is checked, the others are not";
        }
      }
}

TEST(JointCrew, GoesOnHereWhileNobodyElseCanBeReached) {
  for (const bool works_here : {false, true}) {
    const auto later = [](Elsewhere& e, uint64_t done) { e.reached = done < 20 || done > 60; };
    const Explored all = explore(100, works_here, 1, {}, later);
    EXPECT_EQ(sorted(all.right), up_to(100));
    EXPECT_GE(all.here, 40u);
  }
}

TEST(JointCrew, SaysWhichUnitsEndTheirWorkers) {
  const Explored all = explore(40, false, 1, [](Elsewhere& e, Here&) { e.deadly = 4; });
  EXPECT_EQ(sorted(all.given_up), (std::vector<uint64_t>{4, 14, 24, 34}));
  EXPECT_EQ(all.right.size(), 36u);
}

TEST(JointCrew, RefusesWhoExploresSomethingElse) {
  const Explored all = explore(100, false, 1, [](Elsewhere& e, Here&) { e.lies_from = 0; });
  EXPECT_TRUE(all.refused);
  EXPECT_FALSE(all.too_late) << "its first unit is checked before any of it counts";
  EXPECT_EQ(all.wrong.size(), 0u);
  const Explored late = explore(2000, false, 1, [](Elsewhere& e, Here&) { e.lies_from = 20; });
  EXPECT_TRUE(late.too_late);
  EXPECT_GT(late.wrong.size(), 0u) << "then the search starts over";
}

TEST(JointCrew, ExploresHereWhatOnlyThisMachineCanJudge) {
  const Explored all = explore(40, false, 1, [](Elsewhere& e, Here& here) { e.doubtful = here.doubtful = 5; });
  EXPECT_EQ(sorted(all.right), up_to(40));
  EXPECT_GE(all.here, 4u);
}

TEST(JointCrew, JudgesNobodyByWhatWasCutShort) {
  NoTarget target;
  Elsewhere elsewhere(1);
  const auto crew = make_joint_crew(std::make_unique<Here>(), {.works_here = false}, elsewhere, target);
  crew->submit({.number = 1});
  EXPECT_FALSE(crew->next([] { return true; })) << "the first unit is to be checked";
  crew->submit({.number = 2});  // hands out the check
  crew->hurry();
  std::optional<UnitResult> result = crew->next([] { return false; });
  ASSERT_TRUE(result);
  EXPECT_EQ(fingerprint_of(*result), 0u);
  EXPECT_EQ(crew->under_way(), 0u);
  EXPECT_TRUE(elsewhere.refused.empty());
}

TEST(JointCrew, BelievesThatAProgramDoesNotRepeatItself) {
  const Explored all = explore(40, false, 1, [](Elsewhere&, Here& here) { here.repeats = false; });
  EXPECT_FALSE(all.refused);
  EXPECT_EQ(all.right.size() + all.wrong.size(), 40u);
}

}  // namespace
}  // namespace lockstep
