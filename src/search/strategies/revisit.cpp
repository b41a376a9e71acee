// Keeps the archive of states and plans executions that begin at rare ones.
#include "search/strategies/revisit.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/schedule.hpp"
#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

constexpr size_t kMostStates = 1 << 16;
constexpr uint32_t kLongestRevisited = 1 << 12;  // steps; longer executions are not added to the archive
constexpr uint64_t kFreshOneIn = 4;              // one in this many executions starts at the beginning
constexpr uint64_t kCandidates = 8;              // number of random states of which the rarest is chosen

uint64_t hash_with(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

// Hashes what all threads did last, independently of thread numbers.
class StateHash {
 public:
  void begin() {
    threads_.clear();
    writes_.clear();
    looked_.clear();
    sum_ = 0;
  }
  uint64_t add(const Step& step, uint32_t record) {
    uint64_t did = hash_with(static_cast<uint64_t>(step.kind) << 8 | (step.flags & (Step::kWrite | Step::kTimedOut)),
                             static_cast<uint64_t>(step.object));
    for (const Access& access : accesses(step.operation())) {
      uint32_t& looked = looked_[hash_with(static_cast<uint64_t>(access.object), index_of(step.thread) + 1)];
      Write& last = writes_[access.object];
      const bool changed = looked > 0 && last.record > looked;
      did = hash_with(hash_with(did, changed), static_cast<uint64_t>(last.kind));
      looked = record + 1;
      if (access.write) last = {record + 1, step.kind};
    }
    if (index_of(step.thread) >= threads_.size()) threads_.resize(index_of(step.thread) + 1);
    uint64_t& mine = threads_[index_of(step.thread)];
    sum_ += hash_with(did, 1) - mine;
    mine = hash_with(did, 1);
    return sum_;
  }

 private:
  struct Write {
    uint32_t record = 0;  // record plus one; 0: none
    OpKind kind{};
  };
  std::vector<uint64_t> threads_;  // by thread: its last operation
  std::unordered_map<ObjectId, Write> writes_;
  std::unordered_map<uint64_t, uint32_t> looked_;  // by object and thread: record of the last access, plus one
  uint64_t sum_ = 0;
};

class Revisit final : public Strategy {
 public:
  explicit Revisit(const SeededOptions& options) : options_(options) {}

  std::optional<Plan> next() override {
    if (in_flight_ > learned_ / 16) return std::nullopt;  // each execution adds states for the next ones
    ++in_flight_;
    const uint64_t seed = seed_of(options_.seed, handed_out_++);
    Plan plan;
    plan.policy = Policy::Pos;
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
      const uint64_t number = hash_.add(step, record);
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
