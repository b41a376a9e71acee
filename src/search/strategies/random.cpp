#include "search/strategies/random.hpp"

namespace lockstep {
namespace {

// The seed of execution n depends on nothing else: any one can be run again, or elsewhere, by itself.
// SplitMix64 (Steele, Lea & Flood 2014), jumped to its n-th number.
uint64_t seed_of(uint64_t seed, uint64_t n) {
  uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

class Random final : public Strategy {
 public:
  explicit Random(const RandomOptions& options) : options_(options) {}

  std::optional<Plan> next() override {
    Plan plan;
    plan.policy = Policy::Random;
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
  RandomOptions options_;
  uint64_t handed_out_ = 0, learned_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const RandomOptions& options) { return std::make_unique<Random>(options); }

}  // namespace lockstep
