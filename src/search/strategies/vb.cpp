#include "search/strategies/vb.hpp"

#include <algorithm>
#include <numeric>

#include "model/text.hpp"
#include "search/blocks/block_search.hpp"
#include "search/tree/tree_search.hpp"
#include "search/variables/survey.hpp"
#include "search/variables/thread_bound.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kPreparatory = 8;  // executions to learn from which variables are shared
constexpr double kEpsilon = 0.01;
constexpr unsigned kFewThreads = 6;  // main included; the orders of more are too many to try them all

// Preparatory executions, then the empty set: no preemption at all. Then one preemption at each variable, two at each,
// two at each pair, three at each, and so on: a bug that needs few of both is met soon, whatever else is shared. Sets
// come in the order of their last variable, so that those of early iterations of loops come before those of later ones.
class VariableBounding final : public Strategy {
 public:
  explicit VariableBounding(const VbOptions& options)
      : options_(options), threads_(options.thread_bound), preparation_(preparation(options)) {}

  std::optional<Plan> next() override {
    if (preparing_) {
      if (in_flight_ > 0) return std::nullopt;
      std::optional<Plan> plan = prepared_ < kPreparatory ? preparation_.next() : std::nullopt;
      if (plan) {
        plan->origins = true;
        ++in_flight_;
        return plan;
      }
      preparing_ = false;
      survey_.settle();
      if (!threads_ && survey_.threads() > kFewThreads) threads_ = 2;
      start();
    }
    while (!done_) {
      std::optional<Plan> plan = tree_ ? tree_->next() : orders_->next();
      if (plan) {
        ++in_flight_;
        return plan;
      }
      if (in_flight_ > 0) return std::nullopt;
      finish_set();
    }
    return std::nullopt;
  }

  void learn(TraceView trace) override {
    --in_flight_;
    if (preparing_) {
      ++prepared_;
      survey_.look(trace);
      preparation_.learn(trace);
    } else if (tree_) {
      tree_->learn(trace);
    } else {
      orders_->learn(trace);
    }
  }

  Claim claim() const override {
    Claim claim;
    claim.unrepeated = unrepeated_;
    if (broken_ || finished_ == kNothing) return claim;
    claim.scope = Scope::Executions;
    claim.finished = done_;
    claim.bounds.preemptions = claim.preemptions_completed = finished_preemptions_;
    claim.bounds.variables = finished_;
    claim.bounds.threads = threads_;
    if (usable() < survey_.shared().size()) claim.bounds.loop_iterations = *options_.loop_iterations;
    claim.shared_variables = usable();
    if (threads_ && !certain_) claim.certainty = 1 - kEpsilon;
    return claim;
  }
  Traits traits() const override { return {.preempts_at_points = false}; }  // tracks memory by address instead
  void save(StateWriter& out) const override {
    survey_.save(out);
    preparation_.save(out);
    for (const bool flag : {preparing_, done_, broken_, certain_}) out.put(flag);
    for (const uint64_t n : {prepared_, sets_, peak_, unrepeated_}) out.put(n);
    for (const uint32_t n : {level_, finished_, finished_preemptions_, threads_.value_or(kNothing)}) out.put(n);
    out.put_all(set_);
    if (tree_) tree_->save(out);
    if (orders_) orders_->save(out);
  }
  void load(StateReader& in) override {
    survey_.load(in);
    preparation_.load(in);
    for (bool* flag : {&preparing_, &done_, &broken_, &certain_}) *flag = in.get<bool>();
    for (uint64_t* n : {&prepared_, &sets_, &peak_, &unrepeated_}) *n = in.get<uint64_t>();
    for (uint32_t* n : {&level_, &finished_, &finished_preemptions_}) *n = in.get<uint32_t>();
    const auto threads = in.get<uint32_t>();
    threads_ = threads == kNothing ? std::nullopt : std::optional(threads);
    set_ = in.get_all<size_t>();
    const bool known = std::all_of(set_.begin(), set_.end(), [&](size_t i) { return i < survey_.shared().size(); });
    if (!in.good() || !known) return in.reject();
    if (preparing_) return;
    start();
    if (tree_) tree_->load(in);
    if (orders_) orders_->load(in);
  }
  uint64_t memory_bytes() const override { return tree_ ? tree_->memory_bytes() : 0; }
  SearchStatus status() const override {
    const uint64_t open = tree_ ? tree_->frontier_nodes() : orders_ ? orders_->open() : 0;
    return {
        .frontier_nodes = done_ ? 0 : 1 + open,
        .peak_frontier_nodes = peak_,
        .phase = preparing_ ? "preparing" : count_of(set_.size(), "variable"),
        .contributions = count_of(usable(), "shared variable") + ", " + count_of(sets_, "set") + " of them finished"};
  }

 private:
  static constexpr uint32_t kNothing = ~0u;

  static BlockSearchParts preparation(const VbOptions& options) {
    BlockSearchParts parts;
    parts.max_steps = options.max_steps;
    parts.conflicts = parts.locks_write = true;
    return parts;
  }

  // Shared variables that count: the first so many, because they are sorted by iteration.
  size_t usable() const {
    const auto& all = survey_.shared();
    if (!options_.loop_iterations) return all.size();
    return static_cast<size_t>(
        std::partition_point(all.begin(), all.end(),
                             [&](const SharedVariable& v) { return v.id.iteration <= *options_.loop_iterations; }) -
        all.begin());
  }

  // The search for the set of variables whose turn it is.
  void start() {
    std::vector<TrackedRange> tracked;
    for (const size_t i : set_) {
      const std::vector<TrackedRange>& where = survey_.shared()[i].where;
      tracked.insert(tracked.end(), where.begin(), where.end());
    }
    if (tracked.empty())
      tracked.push_back({});  // no memory at all, and no monitor either: races were looked for before
    const uint32_t preemptions = level_;
    tree_.reset();
    orders_.reset();
    if (threads_) {
      orders_.emplace(ThreadBoundOptions{*threads_, survey_.threads(), preemptions, tracked, kEpsilon, options_.seed,
                                         options_.max_steps});
      certain_ &= orders_->certain();
      return;
    }
    TreeSearchParts parts;
    parts.max_steps = options_.max_steps;
    parts.bound = preemptions;
    parts.rank = rank_by_cost;
    parts.level_by_level = true;
    parts.cache = true;  // within one set of variables only
    parts.tracked = tracked;
    parts.track = true;
    tree_.emplace(std::move(parts));
  }

  void finish_set() {
    if (tree_)
      broken_ |= !tree_->complete(), unrepeated_ += tree_->claim().unrepeated;
    else
      broken_ |= !orders_->good();
    if (tree_) peak_ = std::max(peak_, tree_->peak());
    ++sets_;
    if (next_set())
      start();
    else
      done_ = true;
  }

  // The next combination of as many variables, or the first of one more, or of one with one more preemption.
  bool next_set() {
    const size_t all = usable();
    for (size_t i = 0; i < set_.size(); ++i) {
      if (set_[i] + 1 >= (i + 1 < set_.size() ? set_[i + 1] : all)) continue;
      ++set_[i];
      std::iota(set_.begin(), set_.begin() + static_cast<std::ptrdiff_t>(i), size_t{0});
      return true;
    }
    finished_ = static_cast<uint32_t>(set_.size());
    finished_preemptions_ = level_;
    size_t size = set_.size() + 1;
    // More variables than preemptions cannot be preempted at.
    if (size > std::min<size_t>({level_, options_.variables, all})) {
      if (level_ >= options_.preemptions || all == 0 || options_.variables == 0) return false;
      ++level_;
      size = 1;
    }
    set_.resize(size);
    std::iota(set_.begin(), set_.end(), size_t{0});
    return true;
  }

  const VbOptions options_;
  std::optional<uint32_t> threads_;  // bound
  VariableSurvey survey_;
  BlockSearch preparation_;
  bool preparing_ = true, done_ = false, broken_ = false, certain_ = true;
  uint64_t prepared_ = 0, in_flight_ = 0, sets_ = 0, peak_ = 0, unrepeated_ = 0;
  std::vector<size_t> set_;       // indices of shared variables, ascending
  uint32_t level_ = 0;            // preemptions at the present set
  uint32_t finished_ = kNothing;  // all sets of so many variables are done, with so many preemptions
  uint32_t finished_preemptions_ = 0;
  std::optional<TreeSearch> tree_;
  std::optional<ThreadBoundSearch> orders_;
};

}  // namespace

std::unique_ptr<Search> make_vb(const VbOptions& options) { return std::make_unique<VariableBounding>(options); }

}  // namespace lockstep
