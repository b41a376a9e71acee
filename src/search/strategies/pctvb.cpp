#include "search/strategies/pctvb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <numeric>

#include "search/base/seeds.hpp"
#include "search/blocks/block_search.hpp"
#include "search/variables/survey.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kPreparatory = 4;

class Pctvb final : public Strategy {
 public:
  explicit Pctvb(const PctvbOptions& options) : options_(options), preparation_(preparation(options)) {}

  std::optional<Plan> next() override {
    if (preparing_) {
      if (!in_flight_.empty()) return std::nullopt;
      std::optional<Plan> plan = prepared_ < kPreparatory ? preparation_.next() : std::nullopt;
      if (plan) {
        plan->origins = true;
        in_flight_.emplace_back();
        return plan;
      }
      preparing_ = false;
      most_.assign(survey_.shared().size(), 0);
    }
    // Each execution teaches how often its variables are accessed, so not many are begun on the word of a few.
    if (in_flight_.size() > learned_) return std::nullopt;
    Draw draw;
    draw.execution = handed_out_++;
    draw.chosen = choose(draw.execution);
    Plan plan;
    plan.policy = Policy::Pct;
    plan.seed = seed_of(options_.seed, draw.execution);
    plan.max_steps = options_.max_steps;
    plan.pct_depth = static_cast<uint16_t>(options_.depth);
    for (const size_t q : draw.chosen) {
      for (const TrackedRange& v : survey_.shared()[q].where) {
        plan.tracked.push_back(v);
        plan.extra.insert(plan.extra.end(), {v.address, v.size, most_[q]});
      }
      draw.planned += expected(q);
    }
    if (plan.extra.empty()) plan.extra = {0, 0, 0};
    in_flight_.push_back(std::move(draw));
    return plan;
  }

  void learn(TraceView trace) override {
    const Draw draw = std::move(in_flight_.front());
    in_flight_.pop_front();
    if (preparing_) {
      ++prepared_;
      survey_.look(trace);
      preparation_.learn(trace);
      return;
    }
    ++learned_;
    if (!is_whole(trace.outcome())) return;
    threads_ = std::max(threads_, trace.header().threads);
    uint64_t now = 0;
    for (const size_t q : draw.chosen) {
      const SharedVariable& v = survey_.shared()[q];
      uint64_t accesses = 0;
      for (const Step& s : trace.steps())
        accesses += !s.is_note() && !s.is_choice() && v.contains(static_cast<uint64_t>(s.object));
      if (accesses > most_[q]) {
        most_[q] = accesses;
        counted_ = 0;  // what was planned with fewer counts for nothing
      }
      now += expected(q);
    }
    most_accesses_ = std::max(most_accesses_, now);
    if (draw.planned == now) ++counted_;
  }

  Claim claim() const override {
    Claim claim = sample();
    if (counted_ > 0 && !most_.empty())
      claim.chance = {.missed = pctvb_miss_probability(options_, most_.size(), threads_, most_accesses_, counted_),
                      .depth = options_.depth,
                      .variables = options_.variables,
                      .threads = threads_,
                      .decisions = most_accesses_,
                      .objects = most_.size(),
                      .executions = counted_};
    return claim;
  }
  void save(StateWriter& out) const override {
    survey_.save(out);
    preparation_.save(out);
    out.put(preparing_);
    out.put_all(most_);
    for (const uint64_t n : {prepared_, learned_, counted_, most_accesses_}) out.put(n);
    out.put(threads_);
  }
  void load(StateReader& in) override {
    survey_.load(in);
    preparation_.load(in);
    preparing_ = in.get<bool>();
    most_ = in.get_all<uint64_t>();
    for (uint64_t* n : {&prepared_, &learned_, &counted_, &most_accesses_}) *n = in.get<uint64_t>();
    threads_ = in.get<uint32_t>();
    handed_out_ = learned_;
    if (!preparing_ && most_.size() != survey_.shared().size()) in.reject();
  }
  Traits traits() const override { return {.preempts_at_points = false}; }  // tracks memory by address instead

 private:
  // Accesses to a variable, at each of the addresses it may have: one of them is its own in an execution.
  uint64_t expected(size_t q) const { return most_[q] * survey_.shared()[q].where.size(); }

  struct Draw {
    uint64_t execution = 0, planned = 0;
    std::vector<size_t> chosen;
  };
  static BlockSearchParts preparation(const PctvbOptions& options) {
    BlockSearchParts parts;
    parts.max_steps = options.max_steps;
    parts.conflicts = parts.locks_write = true;
    return parts;
  }
  // A uniformly random set, by the first steps of a shuffle.
  std::vector<size_t> choose(uint64_t execution) const {
    std::vector<size_t> all(most_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const size_t count = std::min<size_t>(options_.variables, all.size());
    for (size_t i = 0; i < count; ++i)
      std::swap(all[i], all[i + seed_of(options_.seed ^ 0x5e7, execution * 64 + i) % (all.size() - i)]);
    all.resize(count);
    return all;
  }

  const PctvbOptions options_;
  VariableSurvey survey_;
  BlockSearch preparation_;
  bool preparing_ = true;
  std::vector<uint64_t> most_;  // accesses to each shared variable
  std::deque<Draw> in_flight_;
  uint64_t prepared_ = 0, handed_out_ = 0, learned_ = 0, counted_ = 0, most_accesses_ = 0;
  uint32_t threads_ = 0;
};

}  // namespace

double pctvb_miss_probability(const PctvbOptions& options, uint64_t shared, uint32_t threads, uint64_t accesses,
                              uint64_t executions) {
  const double v = std::min<double>(options.variables, static_cast<double>(shared));
  const double sets = std::exp(std::lgamma(static_cast<double>(shared) + 1) - std::lgamma(v + 1) -
                               std::lgamma(static_cast<double>(shared) - v + 1));
  const double hit = 1 / (sets * std::max(threads, 1u) *
                          std::pow(std::max<double>(static_cast<double>(accesses), 1), options.depth - 1));
  return std::exp(static_cast<double>(executions) * std::log1p(-std::min(hit, 1 - 1e-12)));
}

std::unique_ptr<Search> make_pctvb(const PctvbOptions& options) { return std::make_unique<Pctvb>(options); }

}  // namespace lockstep
