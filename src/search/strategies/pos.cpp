#include "search/strategies/pos.hpp"

#include "search/seeds.hpp"

namespace lockstep {
namespace {

class Pos final : public Strategy {
 public:
  explicit Pos(const PosOptions& options) : options_(options) {}

  std::optional<Plan> next() override {
    Plan plan;
    plan.policy = Policy::Pos;
    plan.seed = seed_of(options_.seed, handed_out_++);
    plan.max_steps = options_.max_steps;
    return plan;
  }
  void learn(TraceView) override { ++learned_; }
  bool resumable() const override { return true; }
  void save(StateWriter& out) const override { out.put(learned_); }
  void load(StateReader& in) override { handed_out_ = learned_ = in.get<uint64_t>(); }
  std::string guarantee() const override { return {}; }
  bool complete() const override { return false; }
  bool exhaustive() const override { return false; }

 private:
  PosOptions options_;
  uint64_t handed_out_ = 0, learned_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_pos(const PosOptions& options) { return std::make_unique<Pos>(options); }

}  // namespace lockstep
