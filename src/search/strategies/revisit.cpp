// Keeps the archive of states and plans executions that begin at rare ones.
#include "search/strategies/revisit.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/schedule.hpp"
#include "search/base/seeds.hpp"
#include "search/base/state_hash.hpp"

namespace lockstep {
namespace {

constexpr size_t kMostStates = 1 << 16;
constexpr uint32_t kLongestRevisited = 1 << 12;  // steps; longer executions are not added to the archive
constexpr uint64_t kFreshOneIn = 16;             // one in this many executions starts at the beginning
constexpr uint64_t kCandidates = 64;             // number of random states of which the rarest is chosen

class Revisit final : public Strategy {
 public:
  explicit Revisit(const SeededOptions& options) : options_(options) {}

  std::optional<Plan> next() override {
    if (in_flight_ > learned_ / 16) return std::nullopt;  // each execution adds states for the next ones
    ++in_flight_;
    const uint64_t seed = seed_of(options_.seed, handed_out_++);
    Plan plan;
    plan.policy = seed_of(seed, 100) % 2 ? Policy::Random : Policy::Pos;
    plan.seed = seed;
    plan.max_steps = options_.max_steps;
    if (!order_.empty() && seed_of(seed, 0) % kFreshOneIn != 0) begin_at(rarest(seed), plan);
    return plan;
  }
  void learn(TraceView trace) override {
    if (in_flight_ == 0) return;  // the saved search was forged
    --in_flight_;
    ++learned_;
    if (is_whole(trace.outcome()) && !trace.is_brief() && trace.steps().size() <= kLongestRevisited) look(trace);
  }

  void observe_other(TraceView trace) override {
    if (is_whole(trace.outcome()) && !trace.is_brief() && trace.steps().size() <= kLongestRevisited) look(trace);
  }

  void save(StateWriter& out) const override {
    for (const uint64_t n : {handed_out_, learned_, in_flight_, bytes_}) out.put(n);
    out.put_all(order_);
    for (const uint64_t number : order_) out.put(states_.at(number));
    out.put<uint64_t>(beginnings_.size());
    for (const std::vector<Delta>& beginning : beginnings_) out.put_all(beginning);
  }
  void load(StateReader& in) override {
    for (uint64_t* n : {&handed_out_, &learned_, &in_flight_, &bytes_}) *n = in.get<uint64_t>();
    order_ = in.get_all<uint64_t>();
    for (const uint64_t number : order_) states_[number] = in.get<State>();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) beginnings_.push_back(in.get_all<Delta>());
    for (const auto& [number, state] : states_)
      if (state.beginning >= beginnings_.size()) return in.reject();
  }
  Claim claim() const override { return sample(); }
  uint64_t memory_bytes() const override { return bytes_; }

 private:
  struct State {
    uint64_t visits = 0;  // executions that reached the state; executions sent there
    uint32_t beginning = 0, records = 0;
  };

  State& rarest(uint64_t seed) {
    State* best = nullptr;
    for (uint64_t i = 1; i <= kCandidates; ++i) {
      State& state = states_[order_[seed_of(seed, i) % order_.size()]];
      if (!best || state.visits < best->visits) best = &state;
    }
    return *best;
  }

  void begin_at(State& state, Plan& plan) {
    ++state.visits;
    for (const Delta& delta : beginnings_[state.beginning])
      if (delta.step < state.records) plan.deltas.push_back(delta);
    plan.policy_at = state.records;
  }

  void look(TraceView trace) {
    hash_.begin();
    here_.clear();
    bool kept = false;
    uint32_t record = 0;
    for (const Step& step : trace.steps()) {
      ++record;
      if (step.is_note() || step.is_choice()) continue;
      const uint64_t number = hash_.add(step);
      if (!here_.insert(number).second) continue;
      if (const auto place = states_.find(number); place != states_.end()) {
        ++place->second.visits;
      } else if (states_.size() < kMostStates) {
        if (!kept) keep(trace);
        kept = true;
        states_[number] = {1, static_cast<uint32_t>(beginnings_.size() - 1), record};
        order_.push_back(number);
        bytes_ += 64;
      }
    }
  }
  void keep(TraceView trace) {
    beginnings_.push_back(plan_of(trace).deltas);
    bytes_ += beginnings_.back().size() * sizeof(Delta) + 32;
  }

  const SeededOptions options_;
  uint64_t handed_out_ = 0, learned_ = 0, in_flight_ = 0, bytes_ = 0;
  std::unordered_map<uint64_t, State> states_;
  std::vector<uint64_t> order_;  // the states, in the order in which they were added
  std::vector<std::vector<Delta>> beginnings_;
  StateHash hash_;
  std::unordered_set<uint64_t> here_;
};

}  // namespace

std::unique_ptr<Search> make_revisit(const SeededOptions& options) { return std::make_unique<Revisit>(options); }

}  // namespace lockstep
