// Plans executions of PCT and computes their claim.
#include "search/strategies/pct.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>

#include "search/base/saved_trace.hpp"
#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

// The number of decisions between several threads. The scheduler counts its change points in these decisions.
uint32_t contested(TraceView trace) {
  if (trace.is_brief()) return trace.header().contested;
  uint32_t count = 0;
  for (const Step& step : trace.steps())
    if (!step.is_note() && !step.is_choice() && trace.enabled(step).size() > 1) ++count;
  return count;
}

class Pct final : public Strategy {
 public:
  explicit Pct(const PctOptions& options) : options_(options) {}

  std::optional<Plan> next() override {
    // The horizon is learned from executions, so only few are in flight at the beginning.
    if (in_flight_.size() > learned_) return std::nullopt;
    Plan plan;
    plan.policy = Policy::Pct;
    plan.seed = seed_of(options_.seed, handed_out_++);
    plan.max_steps = options_.max_steps;
    plan.pct_depth = static_cast<uint16_t>(options_.depth);
    plan.pct_horizon = horizon_;
    in_flight_.push_back(horizon_);
    return plan;
  }

  // The probability needs bounds on threads and decisions. They are the largest values seen so far, so executions
  // planned with smaller values do not count.
  void learn(TraceView trace) override {
    if (in_flight_.empty()) return;  // the saved search was forged
    const uint32_t planned_for = in_flight_.front();
    in_flight_.pop_front();
    ++learned_;
    if (!is_whole(trace.outcome())) return;
    measure(trace);
    if (planned_for == horizon_) ++counted_;
  }
  // The first executions of other strategies are measured as well.
  void observe_other(TraceView trace) override {
    constexpr uint64_t kEnough = 64;
    if (observed_ == kEnough || !is_whole(trace.outcome())) return;
    ++observed_;
    measure(trace);
  }

  void save(StateWriter& out) const override {
    for (const uint64_t number : {handed_out_, learned_, observed_, counted_}) out.put(number);
    for (const uint32_t number : {horizon_, threads_}) out.put(number);
    put_queue(out, in_flight_);
  }
  void load(StateReader& in) override {
    for (uint64_t* number : {&handed_out_, &learned_, &observed_, &counted_}) *number = in.get<uint64_t>();
    for (uint32_t* number : {&horizon_, &threads_}) *number = in.get<uint32_t>();
    in_flight_ = get_queue<uint32_t>(in);
  }

  Claim claim() const override {
    Claim claim = sample();
    if (counted_ > 0)
      claim.chance = {.missed = pct_miss_probability(options_.depth, threads_, horizon_, counted_),
                      .depth = options_.depth,
                      .threads = threads_,
                      .decisions = horizon_,
                      .executions = counted_};
    return claim;
  }

  Traits traits() const override { return {.draws = true}; }

 private:
  void measure(TraceView trace) {
    threads_ = std::max(threads_, trace.header().threads);
    if (const uint32_t decisions = contested(trace); decisions > horizon_) {
      horizon_ = decisions;
      counted_ = 0;
    }
  }

  PctOptions options_;
  uint64_t handed_out_ = 0;
  uint64_t learned_ = 0, observed_ = 0;
  std::deque<uint32_t> in_flight_;  // their horizons, oldest first
  uint32_t horizon_ = 0, threads_ = 0;
  uint64_t counted_ = 0;  // executions planned with the current horizon
};

}  // namespace

double pct_miss_probability(uint32_t depth, uint32_t threads, uint32_t decisions, uint64_t executions) {
  const double hit = 1 / (std::max(threads, 1u) * std::pow(std::max(decisions, 1u), depth - 1));
  return std::exp(static_cast<double>(executions) * std::log1p(-hit));
}

std::unique_ptr<Search> make_pct(const PctOptions& options) { return std::make_unique<Pct>(options); }

}  // namespace lockstep
