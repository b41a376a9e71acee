#include "work/dealt_plans.hpp"

#include <gtest/gtest.h>

#include <deque>

using namespace lockstep;

namespace {

// Answers every plan with an empty trace that has its id.
class EchoTarget final : public Target {
 public:
  size_t window() const override { return 16; }
  void submit(const Plan& plan) override { plans_.push_back(plan); }
  std::optional<TraceView> next(const std::function<bool()>&) override {
    if (plans_.empty()) return std::nullopt;
    const bool loses_control = plans_.front().id == uncontrolled;
    trace_ = trace_without_steps(plans_.front().id, loses_control ? Outcome::Uncontrolled : Outcome::Ok, "");
    plans_.pop_front();
    if (loses_control) plans_.clear();  // as a real one does
    return trace_;
  }
  void cancel() override { plans_.clear(); }
  uint64_t uncontrolled = 0;  // the plan that cannot be controlled
  const TargetInfo& info() const override { return info_; }
  std::vector<Module> modules() override { return {}; }
  std::vector<ThreadTable::Entry> threads() override { return {}; }
  std::string given_name(uint64_t) override { return {}; }
  std::vector<std::string> warnings() override { return {}; }
  Detailed run_detailed(Plan, Inspector*) override { return {}; }

 private:
  std::deque<Plan> plans_;
  Trace trace_;
  TargetInfo info_;
};

Plan numbered(uint64_t id) {
  Plan plan;
  plan.id = id;
  return plan;
}

// The ids of the traces, in the order in which a search would read them.
std::vector<uint64_t> read_all(DealtPlans& dealt) {
  std::vector<uint64_t> ids;
  while (!dealt.empty()) {
    if (!dealt.front().unit && !dealt.front().here) {
      ids.push_back(dealt.next_here(nullptr)->header().plan_id);
      continue;
    }
    if (dealt.front().is_checked) dealt.read_here(dealt.front(), nullptr);
    ids.push_back(dealt.front().here ? dealt.front().here->view().header().plan_id : 0);
    dealt.pop_front();
  }
  return ids;
}

}  // namespace

TEST(DealtPlans, KeepTheOrderWhenAUnitIsRunHere) {
  EchoTarget here;
  DealtPlans dealt(here);
  const auto first = std::make_shared<Batch>(), second = std::make_shared<Batch>();
  dealt.add_here(numbered(1));
  dealt.add_to(first, numbered(2), false);
  dealt.add_to(first, numbered(3), true);
  dealt.add_here(numbered(4));
  dealt.add_to(second, numbered(5), true);
  dealt.add_here(numbered(6));
  EXPECT_TRUE(dealt.run_here(first.get(), nullptr));
  dealt.add_here(numbered(7));
  EXPECT_TRUE(dealt.run_here(nullptr, nullptr));
  dealt.add_here(numbered(8));
  EXPECT_EQ(read_all(dealt), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(DealtPlans, GoOnBeforeAnExecutionThatCannotBeControlled) {
  EchoTarget here;
  here.uncontrolled = 3;
  DealtPlans dealt(here);
  const auto unit = std::make_shared<Batch>();
  dealt.add_to(unit, numbered(1), false);
  dealt.add_to(unit, numbered(2), false);
  for (uint64_t id = 3; id <= 5; ++id) dealt.add_here(numbered(id));
  EXPECT_TRUE(dealt.run_here(unit.get(), nullptr));
  const std::vector<uint64_t> ids = read_all(dealt);
  EXPECT_EQ((std::vector<uint64_t>{ids[0], ids[1], ids[2]}), (std::vector<uint64_t>{1, 2, 3}));
}

TEST(DealtPlans, AreSplitIntoSingleExecutions) {
  EchoTarget here;
  DealtPlans dealt(here);
  const auto unit = std::make_shared<Batch>();
  for (uint64_t id = 1; id <= 3; ++id) dealt.add_to(unit, numbered(id), false);
  const auto parts = dealt.split(*unit);
  ASSERT_EQ(parts.size(), 3u);
  for (uint64_t id = 1; id <= 3; ++id) {
    EXPECT_EQ(dealt.front().unit, parts[id - 1]);
    EXPECT_EQ(dealt.front().unit->plans[dealt.front().index].id, id);
    dealt.pop_front();
  }
}

TEST(UnitSize, FollowsTheTimeOfAnExecution) {
  UnitSize size;
  EXPECT_EQ(size.plans(4096, 1), 16u);  // nothing is known
  size.took(100, std::chrono::microseconds(1000));
  EXPECT_EQ(size.plans(4096, 1), 1024u);  // a quarter of the window
  EXPECT_EQ(size.plans(4096, 64), 16u);
  UnitSize slow;
  slow.took(1, std::chrono::milliseconds(100));
  EXPECT_EQ(slow.plans(4096, 1), 1u);
}
