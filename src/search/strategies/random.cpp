#include "search/strategies/random.hpp"

#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

class RandomWalk final : public Strategy {
 public:
  RandomWalk(Policy policy, const SeededOptions& options) : policy_(policy), options_(options) {}

  std::optional<Plan> next() override {
    Plan plan;
    plan.policy = policy_;
    plan.seed = seed_of(options_.seed, handed_out_++);
    plan.max_steps = options_.max_steps;
    return plan;
  }
  void learn(TraceView) override {}
  void save(StateWriter& out) const override { out.put(handed_out_); }
  void load(StateReader& in) override { handed_out_ = in.get<uint64_t>(); }
  Claim claim() const override { return sample(); }
  Traits traits() const override { return {.draws = true}; }

 private:
  Policy policy_;
  SeededOptions options_;
  uint64_t handed_out_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_random(const SeededOptions& options) {
  return std::make_unique<RandomWalk>(Policy::Random, options);
}
std::unique_ptr<Search> make_pos(const SeededOptions& options) {
  return std::make_unique<RandomWalk>(Policy::Pos, options);
}

}  // namespace lockstep
