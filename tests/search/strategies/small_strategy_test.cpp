// A strategy in a few lines: what a new one has to implement, and that it gets everything else.
#include <gtest/gtest.h>

#include "known.hpp"
#include "search/mix/mixture.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

// Every schedule with at most one deviation from the default one, in the order of its steps.
class OneDeviation final : public Strategy {
 public:
  std::optional<Plan> next() override {
    if (handed_out_ == deviations_.size() + 1) return std::nullopt;
    Plan plan;
    if (handed_out_ > 0) plan.deltas = {deviations_[handed_out_ - 1]};
    ++handed_out_;
    return plan;
  }
  void learn(TraceView trace) override {
    if (++learned_ > 1) return;
    for (ScheduleCursor at(trace); !at.done(); at.advance())
      if (!at.step().is_note() && !at.step().is_choice())
        trace.enabled(at.step()).for_each([&](ThreadId t) {
          if (static_cast<uint16_t>(t) != at.taken()) deviations_.push_back({at.index(), static_cast<uint16_t>(t)});
        });
  }
  Claim claim() const override { return {.scope = Scope::Sample, .finished = learned_ == deviations_.size() + 1}; }
  void save(StateWriter& out) const override {
    out.put_all(deviations_);
    out.put(handed_out_);
    out.put(learned_);
  }
  void load(StateReader& in) override {
    deviations_ = in.get_all<Delta>();
    handed_out_ = in.get<uint64_t>();
    learned_ = in.get<uint64_t>();
  }

 private:
  std::vector<Delta> deviations_;
  uint64_t handed_out_ = 0, learned_ = 0;
};

TEST(SmallStrategy, ExploresWhatItPlans) {
  OneDeviation strategy;
  const Explored e = explore(strategy, same_write(2, 2));
  EXPECT_TRUE(all_distinct(e.sorted()));
  EXPECT_GT(e.result.executions, 2u);
  EXPECT_EQ(e.result.ended, e.result.executions);
  EXPECT_EQ(known(e.result), "sample");
  EXPECT_FALSE(e.result.complete());
}

TEST(SmallStrategy, IsPartOfAMixture) {
  std::vector<MixturePart> parts;
  parts.push_back({"one deviation", std::make_unique<OneDeviation>(), 2});
  parts.push_back({"dfs", dfs(), 3, MixturePart::Proof::Full});
  Mixture mixture(std::move(parts), {});
  const Explored e = explore(mixture, same_write(2, 2));
  EXPECT_TRUE(e.result.complete());
  EXPECT_EQ(known(e.result), "all");
  EXPECT_NE(e.result.contributions.find("of one deviation"), std::string::npos) << e.result.contributions;
}

}  // namespace
}  // namespace lockstep::fake
