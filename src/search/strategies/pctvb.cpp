// Plans executions of PCT at accesses to a few variables.
#include "search/strategies/pctvb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "search/base/seeds.hpp"
#include "search/strategies/preparation.hpp"
#include "search/variables/survey.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kPctvbPreparations = 4;

// Every execution is surveyed. If one shows another shared variable, or more accesses to a variable, all earlier
// executions were drawn with too few and do not count.
class Pctvb final : public Strategy {
 public:
  explicit Pctvb(const PctvbOptions& options)
      : options_(options),
        survey_({}, HeapVariable::Site, options.focus),
        preparation_(options.max_steps, kPctvbPreparations) {}

  std::optional<Plan> next() override {
    Draw draw;
    std::optional<Plan> plan = preparation_.next();
    if (!plan) {
      // The numbers of accesses are learned from executions, so only few are in flight at the beginning.
      if (!preparation_.over() || in_flight_.size() > learned_) return std::nullopt;
      plan = drawn(draw);
    }
    if (!preparation_.over() || options_.survey) plan->survey = plan->origins = true;
    in_flight_.push_back(std::move(draw));
    return plan;
  }

  void learn(TraceView trace) override {
    if (in_flight_.empty()) return;  // the saved search was forged
    const Draw draw = std::move(in_flight_.front());
    in_flight_.pop_front();
    if (!preparation_.over() || options_.survey) survey_.look(trace);
    make_room();
    if (!preparation_.over()) return preparation_.learn(trace);
    ++learned_;
    if (!is_whole(trace.outcome())) return;
    threads_ = std::max(threads_, trace.header().threads);
    uint64_t now = 0;
    bool more = survey_.changes() != counted_for_;
    for (const size_t q : draw.chosen) {
      more |= count_accesses(q, trace);
      now += expected(q);
    }
    most_accesses_ = std::max(most_accesses_, now);
    if (more) counted_ = 0;
    counted_for_ = survey_.changes();
    if (draw.planned == now && draw.planned_for == counted_for_) ++counted_;
  }

  Claim claim() const override {
    Claim claim = sample();
    const bool whole = survey_.overflows() == 0 && options_.survey && !too_many_ && !options_.focus;
    if (counted_ > 0 && survey_.count() > 0 && whole)
      claim.chance = {.missed = pctvb_miss_probability(options_, survey_.count(), threads_, most_accesses_, counted_),
                      .depth = options_.depth,
                      .variables = options_.variables,
                      .threads = threads_,
                      .decisions = most_accesses_,
                      .objects = survey_.count(),
                      .executions = counted_};
    return claim;
  }
  void save(StateWriter& out) const override {
    survey_.save(out);
    preparation_.save(out);
    out.put<uint64_t>(most_.size());
    for (const auto& counts : most_) out.put_all(counts);
    out.put(too_many_);
    for (const uint64_t n : {handed_out_, learned_, counted_, counted_for_, most_accesses_}) out.put(n);
    out.put(threads_);
    out.put<uint64_t>(in_flight_.size());
    for (const Draw& draw : in_flight_) {
      for (const uint64_t n : {draw.execution, draw.planned, draw.planned_for}) out.put(n);
      out.put_all(draw.chosen);
    }
  }
  void load(StateReader& in) override {
    survey_.load(in);
    preparation_.load(in);
    most_.clear();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) most_.push_back(in.get_all<uint64_t>());
    too_many_ = in.get<bool>();
    for (uint64_t* n : {&handed_out_, &learned_, &counted_, &counted_for_, &most_accesses_}) *n = in.get<uint64_t>();
    threads_ = in.get<uint32_t>();
    if (most_.size() != survey_.shared().size())
      in.reject();
    else
      make_room();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      Draw& draw = in_flight_.emplace_back();
      for (uint64_t* n : {&draw.execution, &draw.planned, &draw.planned_for}) *n = in.get<uint64_t>();
      draw.chosen = in.get_all<size_t>();
      if (std::ranges::any_of(draw.chosen, [this](size_t q) { return q >= most_.size(); })) in.reject();
    }
    if (!in.good()) in_flight_.clear();
  }
  Traits traits() const override { return {.preempts_at_points = false}; }  // it tracks memory by address instead

 private:
  struct Draw {
    uint64_t execution = 0, planned = 0;
    uint64_t planned_for = 0;  // VariableSurvey::changes()
    std::vector<size_t> chosen{};
  };

  Plan drawn(Draw& draw) {
    draw.execution = handed_out_++;
    draw.planned_for = survey_.changes();
    draw.chosen = choose(draw.execution);
    Plan plan;
    plan.policy = Policy::Pct;
    plan.seed = seed_of(options_.seed, draw.execution);
    plan.max_steps = options_.max_steps;
    plan.whole = true;  // for counting the accesses
    plan.pct_depth = static_cast<uint16_t>(options_.depth);
    for (const size_t q : draw.chosen) {
      const std::vector<TrackedRange>& where = survey_.shared()[q].where;
      for (size_t i = 0; i < where.size() && plan.tracked.size() < kMaxTracked; ++i) {
        plan.tracked.push_back(where[i]);
        plan.extra.insert(plan.extra.end(), {where[i].address, where[i].size, most_[q][i]});
      }
      draw.planned += expected(q);
    }
    too_many_ |= plan.tracked.size() == kMaxTracked;
    if (plan.extra.empty()) plan.extra = {0, 0, 0};
    return plan;
  }

  // Expected accesses to a variable: the sum of the maxima at the places where it may lie.
  uint64_t expected(size_t q) const { return std::accumulate(most_[q].begin(), most_[q].end(), uint64_t{0}); }

  void make_room() {
    most_.resize(survey_.shared().size());
    for (size_t q = 0; q < most_.size(); ++q) most_[q].resize(survey_.shared()[q].where.size(), 0);
  }

  // True if some place was accessed more often than in all earlier executions.
  bool count_accesses(size_t q, TraceView trace) {
    const std::vector<TrackedRange>& where = survey_.shared()[q].where;
    std::vector<uint64_t> accesses(where.size(), 0);
    for (const Step& s : trace.steps()) {
      if (s.is_note() || s.is_choice()) continue;
      const auto address = static_cast<uint64_t>(s.object);
      const auto at =
          std::find_if(where.begin(), where.end(), [&](const TrackedRange& r) { return r.contains(address); });
      if (at != where.end()) ++accesses[static_cast<size_t>(at - where.begin())];
    }
    bool more = false;
    for (size_t i = 0; i < accesses.size(); ++i) {
      more |= accesses[i] > most_[q][i];
      most_[q][i] = std::max(most_[q][i], accesses[i]);
    }
    return more;
  }

  // A uniformly random set: the first steps of a shuffle.
  std::vector<size_t> choose(uint64_t execution) const {
    std::vector<size_t> all = survey_.in_focus();
    if (all.empty()) {
      all.resize(most_.size());
      std::iota(all.begin(), all.end(), size_t{0});
    }
    const size_t count = std::min<size_t>(options_.variables, all.size());
    for (size_t i = 0; i < count; ++i)
      std::swap(all[i], all[i + seed_of(options_.seed ^ 0x5e7, execution * 64 + i) % (all.size() - i)]);
    all.resize(count);
    return all;
  }

  const PctvbOptions options_;
  VariableSurvey survey_;
  Preparation preparation_;
  std::vector<std::vector<uint64_t>> most_;  // for each shared variable, accesses at each of its places
  bool too_many_ = false;                    // more places than a plan can hold: some change points were never drawn
  std::deque<Draw> in_flight_;
  uint64_t handed_out_ = 0, learned_ = 0, counted_ = 0, most_accesses_ = 0;
  uint64_t counted_for_ = 0;  // VariableSurvey::changes(): earlier executions do not count
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
