// Explores one set of variables after the other.
#include "search/strategies/vb.hpp"

#include <algorithm>

#include "model/text_lines.hpp"
#include "search/strategies/preparation.hpp"
#include "search/tree/tree_search.hpp"
#include "search/variables/survey.hpp"
#include "search/variables/thread_bound.hpp"
#include "search/variables/variable_sets.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kVbPreparations = 8;
constexpr unsigned kFewThreads = 6;  // including main; more threads have too many orders to try all

// Runs preparatory executions, then the empty set (no preemption), then the sets of shared variables.
//
// Every execution is surveyed. A variable that turns out to be shared later, or to lie at another place, adds sets to
// stages that were finished (VariableSets). So the claim covers all variables that any of these executions shares.
// Other variables do not matter: a preemption at an access to unshared memory has the same effect as one at the shared
// access before it.
class VariableBounding final : public Strategy {
 public:
  explicit VariableBounding(const VbOptions& options)
      : options_(options),
        threads_(options.thread_bound),
        survey_(options.loop_iterations, options.whole_blocks ? HeapVariable::Block : HeapVariable::Element,
                options.focus, options.whole_blocks ? options.globals : GlobalAt{}),
        preparation_(options.max_steps, kVbPreparations),
        sets_(options.by_preemptions ? VariableSets::by_preemptions(options.preemptions, options.variables)
                                     : VariableSets::by_variables(options.preemptions, options.variables)) {}

  std::optional<Plan> next() override {
    std::optional<Plan> plan = preparation_.next();
    if (!plan) {
      if (!preparation_.over()) return std::nullopt;
      if (!begun_) begin();
      while (!done() && !(plan = tree_ ? tree_->next() : orders_->next())) {
        if (in_flight_ > 0) return std::nullopt;
        finish_set();
      }
      if (!plan) return std::nullopt;
    }
    if (!begun_ || options_.survey) plan->survey = plan->origins = true;
    ++in_flight_;
    return plan;
  }

  void learn(TraceView trace) override {
    --in_flight_;
    if (!begun_ || options_.survey) survey_.look(trace);
    if (!begun_)
      preparation_.learn(trace);
    else if (tree_)
      tree_->learn(trace);
    else if (orders_)
      orders_->learn(trace);
  }

  Claim claim() const override {
    Claim claim;
    claim.unrepeated = unrepeated_;
    const size_t finished = begun_ ? sets_.finished(survey_.shared().size(), !done()) : 0;
    if (broken_ || finished == 0) return claim;
    const VariableSets::Stage reached = sets_[finished - 1];
    claim.scope = Scope::Executions;
    claim.finished = done();
    claim.bounds.preemptions = claim.preemptions_completed = reached.preemptions;
    claim.bounds.variables = static_cast<uint32_t>(std::min<size_t>(reached.variables, survey_.count()));
    claim.bounds.threads = threads_;
    if (survey_.left_out() > 0) claim.bounds.loop_iterations = *options_.loop_iterations;
    claim.shared_variables = survey_.count();
    if (threads_ && !certain_) claim.certainty = 1 - options_.epsilon;
    if (survey_.overflows() > 0)
      claim.provisos.push_back({ProvisoKind::NoSchedulingPoint,
                                true,
                                survey_.overflows(),
                                {},
                                "some variables of executions that touched too much memory to record it all"});
    return claim;
  }
  Traits traits() const override { return {.preempts_at_points = false}; }  // it tracks memory by address instead
  void save(StateWriter& out) const override {
    survey_.save(out);
    preparation_.save(out);
    sets_.save(out);
    for (const bool flag : {begun_, broken_, certain_, tree_ || orders_}) out.put(flag);
    for (const uint64_t n : {in_flight_, explored_, peak_, unrepeated_}) out.put(n);
    for (const uint32_t n : {all_threads_, threads_.value_or(kNone)}) out.put(n);
    if (tree_) tree_->save(out);
    if (orders_) orders_->save(out);
  }
  void load(StateReader& in) override {
    survey_.load(in);
    preparation_.load(in);
    sets_.load(in);
    bool under_way = false;
    for (bool* flag : {&begun_, &broken_, &certain_, &under_way}) *flag = in.get<bool>();
    for (uint64_t* n : {&in_flight_, &explored_, &peak_, &unrepeated_}) *n = in.get<uint64_t>();
    all_threads_ = in.get<uint32_t>();
    const auto threads = in.get<uint32_t>();
    threads_ = threads == kNone ? std::nullopt : std::optional(threads);
    const auto& set = sets_.set();
    const bool known = std::all_of(set.begin(), set.end(), [&](size_t i) { return i < survey_.shared().size(); });
    if (!in.good() || !known || all_threads_ > kMaxThreads) return in.reject();
    if (!under_way) return;
    start();
    if (tree_) tree_->load(in);
    if (orders_) orders_->load(in);
  }
  uint64_t memory_bytes() const override { return tree_ ? tree_->memory_bytes() : 0; }
  SearchStatus status() const override {
    const uint64_t open = tree_ ? tree_->frontier_nodes() : orders_ ? orders_->open() : 0;
    return {.frontier_nodes = done() ? 0 : 1 + open,
            .peak_frontier_nodes = peak_,
            .phase = begun_ ? count_of(sets_.set().size(), "variable") : "preparing",
            .contributions =
                count_of(survey_.count(), "shared variable") + ", " + count_of(explored_, "set") + " of them finished"};
  }

 private:
  static constexpr uint32_t kNone = ~0u;

  bool done() const { return begun_ && !tree_ && !orders_; }

  void begin() {
    begun_ = true;
    survey_.settle();
    if (!threads_ && survey_.threads() > kFewThreads) threads_ = 2;
    all_threads_ = survey_.threads();
    next_set();
  }

  void next_set() {
    tree_.reset();
    orders_.reset();
    while (sets_.advance(survey_.shared().size())) {
      const std::vector<size_t>& set = sets_.set();
      if (std::none_of(set.begin(), set.end(), [&](size_t i) { return survey_.shared()[i].replaced; })) return start();
    }
  }

  void start() {
    std::vector<TrackedRange> tracked;
    for (const size_t i : sets_.set()) {
      const std::vector<TrackedRange>& where = survey_.shared()[i].where;
      tracked.insert(tracked.end(), where.begin(), where.end());
    }
    if (tracked.empty()) tracked.push_back({});  // no memory
    const uint32_t preemptions = sets_.stage().preemptions;
    if (threads_) {
      orders_.emplace(ThreadBoundOptions{*threads_, all_threads_, preemptions, tracked, options_.epsilon, options_.seed,
                                         options_.max_steps});
      certain_ &= orders_->certain();
      return;
    }
    TreeSearchParts parts;
    parts.max_steps = options_.max_steps;
    parts.bound = preemptions;
    parts.rank = rank_by_cost;
    parts.level_by_level = true;
    parts.cache = true;  // within one set of variables
    parts.tracked = tracked;
    parts.track = true;
    tree_.emplace(std::move(parts));
  }

  void finish_set() {
    ++explored_;
    if (tree_) {
      broken_ |= !tree_->complete();
      unrepeated_ += tree_->claim().unrepeated;
      peak_ = std::max(peak_, tree_->peak());
    } else {
      broken_ |= !orders_->good();
      if (survey_.threads() > all_threads_) {  // there are more threads than expected: runs all orders again
        all_threads_ = survey_.threads();
        sets_.start_over();
      }
    }
    next_set();
  }

  const VbOptions options_;
  std::optional<uint32_t> threads_;  // the thread bound
  VariableSurvey survey_;
  Preparation preparation_;
  VariableSets sets_;
  bool begun_ = false, broken_ = false, certain_ = true;
  uint64_t in_flight_ = 0, explored_ = 0, peak_ = 0, unrepeated_ = 0;
  unsigned all_threads_ = 0;  // number of threads whose orders are explored
  std::optional<TreeSearch> tree_;
  std::optional<ThreadBoundSearch> orders_;
};

}  // namespace

std::unique_ptr<Search> make_vb(const VbOptions& options) { return std::make_unique<VariableBounding>(options); }

}  // namespace lockstep
