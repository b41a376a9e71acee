// Expands executions into alternatives and chooses the next one.
#include "search/tree/tree_search.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "model/text_lines.hpp"
#include "search/base/saved_trace.hpp"
#include "search/judge/judge.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kPartUnderWay = 16;

// Did the execution take the last decision of its plan? If not, the program is not deterministic.
bool shows(TraceView trace, const ExecutionTree::Node& node) {
  if (node.step == kNoStep) return true;
  if (node.step >= trace.steps().size()) return false;
  const Step& step = trace.steps()[node.step];
  if (step.is_note()) return false;
  return node.value == (step.is_choice() ? step.taken() : static_cast<uint16_t>(step.thread));
}

}  // namespace

TreeSearch::TreeSearch(TreeSearchParts parts) : parts_(std::move(parts)) {
  if (divided()) {
    const Spill::Item root;
    units_.add({.rank = 0, .size = 1, .bytes = Spill::pack({&root, 1})});
  } else {
    frontier_.push(0, tree_.create_root());
  }
}

std::optional<Plan> TreeSearch::next() {
  if (in_flight_.size() >= parts_.window) return std::nullopt;
  if (parts_.step_by_step && in_flight_.size() > tree_.executed() / kPartUnderWay) return std::nullopt;
  if (divided() && !enter_unit()) return std::nullopt;
  fetch();
  if (frontier_.empty()) return std::nullopt;
  const uint64_t rank = frontier_.best_rank();
  if (parts_.level_by_level && !in_flight_.empty() && rank > level_) return std::nullopt;
  const NodeIndex node = node_of(frontier_.pop_best());
  const bool begins = !level_begun_ || rank != level_;
  level_ = rank;
  in_flight_.push_back({node, rank});
  if (unit_) ++unit_->handed_out;
  if (begins) level_estimate_.begin(open_at_level(), executed_);
  level_begun_ = true;
  Plan plan;
  plan.max_steps = parts_.max_steps;
  plan.policy = parts_.policy;
  plan.stacks = parts_.stacks;
  plan.tracked = parts_.tracked;
  tree_.deltas_of(node, plan.deltas);
  return plan;
}

void TreeSearch::learn(TraceView trace) {
  if (in_flight_.empty()) return;  // the saved search was forged
  const auto [node, rank] = in_flight_.front();
  in_flight_.pop_front();
  ++executed_;
  const Outcome outcome = trace.outcome();
  if (outcome == Outcome::WorkerDied || outcome == Outcome::Uncontrolled) {
    ++lost_;  // what it would have done is unknown
  } else if (outcome == Outcome::Diverged || !shows(trace, tree_[node])) {
    ++diverged_;
  } else {
    if (outcome == Outcome::StepLimit) {
      ++cut_;
      lowest_cut_rank_ = std::min(lowest_cut_rank_.value_or(rank), rank);
    }
    if (parts_.look) {
      tree_.deltas_of(node, deltas_);
      parts_.look(trace, deltas_);
    }
    if (parts_.cache && allowed_by(trace.reasons(), Method::StateCache) != Reduction::Full) {
      parts_.cache = false;
      pruned_wrongly_ = pruned_;  // perhaps
    }
    expand_all(node, trace);
    if (plain()) weight_estimate_.executed(trace);
  }
  tree_.finish(node);
  if (parts_.level_by_level) level_estimate_.executed(open_at_level(), executed_);
  assert(!exhausted() || (tree_.live() == 0 && tree_.created() == tree_.executed()));
}

void TreeSearch::expand_all(NodeIndex node, TraceView trace) {
  if (parts_.cost) {
    expand(node, trace, parts_.cost);
  } else {
    expand(node, trace, [](const ScheduleCursor& at, ThreadId next) { return at.cost(next); });
  }
}

void TreeSearch::adopt(TraceView trace) {
  assert(selective());
  const std::vector<Delta> deltas = plan_of(trace).deltas;
  std::vector<NodeIndex> chain{tree_.create_root()};
  for (const Delta& delta : deltas)
    chain.push_back(tree_.create(chain.back(), delta.step, delta.value, ExecutionTree::kCostUnknown));
  if (parts_.look) parts_.look(trace, {});
  size_t owner = 0;  // the step belongs to this node, whose deviation is the last one before it
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    if (at.step().is_note()) continue;
    expand_step(chain[owner], trace, at, at.preemptions(),
                [](const ScheduleCursor& c, ThreadId t) { return c.cost(t); });
    if (owner < deltas.size() && deltas[owner].step == at.index()) ++owner;
  }
  for (size_t i = chain.size(); i-- > 0;) tree_.finish(chain[i]);
}

// Expands alternatives after the node's own step only (erratum to GAMBIT, figure 4). Alternatives before and at it
// belong to the node's ancestors, which have created them.
template <class Cost>
void TreeSearch::expand(NodeIndex node, TraceView trace, Cost&& cost) {
  const ExecutionTree::Node own = tree_[node];
  const bool at_root = own.step == kNoStep;
  const uint32_t first = at_root ? 0 : own.step + (parts_.expand_own_step ? 0 : 1);
  // The cost up to `first` is known, unless the number did not fit or the own step is expanded again.
  if (watches_variables()) {
    last_access_.clear();
    charged_.clear();
  }
  const bool skip =
      !watches_variables() && !at_root && own.cost != ExecutionTree::kCostUnknown && !parts_.expand_own_step;
  uint32_t spent = skip ? own.cost : 0;
  no_cache_ = false;
  if (parts_.cache) fingerprint_beginning(trace, first);
  for (ScheduleCursor at = skip ? ScheduleCursor(trace, first, spent) : ScheduleCursor(trace); !at.done();
       at.advance()) {
    const Step& step = at.step();
    if (parts_.cache && at.index() >= first) {
      if (visited(at, spent)) {
        pruned_ = true;
        return;
      }
      fingerprint(step);
    }
    if (step.is_note()) continue;
    if (at.index() >= first) expand_step(node, trace, at, spent, cost);
    if (watches_variables()) charge(at);
    if (!step.is_choice()) spent += cost(at, step.thread);
  }
}

// Undoes only what differs from the beginning of the previous execution.
void TreeSearch::fingerprint_beginning(TraceView trace, uint32_t records) {
  const auto steps = trace.steps().first(std::min<size_t>(records, trace.steps().size()));
  const size_t most = std::min(steps.size(), fingerprinted_.size());
  size_t same = std::min<size_t>(fingerprinted_last_.shared_with(trace), most);
  // Records have no padding.  NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  while (same < most && std::memcmp(&steps[same], &fingerprinted_[same], sizeof(Step)) == 0) ++same;
  fingerprinter_.truncate(static_cast<uint32_t>(same));
  fingerprinted_.resize(same);
  for (const Step& step : steps.subspan(same)) fingerprint(step);
}

void TreeSearch::fingerprint(const Step& step) {
  fingerprinter_.add(step);
  fingerprinted_.push_back(step);
}

// After a yield the state of the fair scheduler matters, which is not part of the order. So nothing is pruned from
// there on.
bool TreeSearch::visited(const ScheduleCursor& at, uint32_t spent) {
  if (at.step().is_note() || at.step().is_choice()) return false;
  if (at.yielded()) no_cache_ = true;
  if (no_cache_) return false;
  Fingerprint state = fingerprinter_.value();
  for (const ObjectId object : charged_)  // the remaining variables are part of the state
    state.low = (state.low ^ static_cast<uint64_t>(object)) * 0x9e3779b97f4a7c15ull;
  return cache_.visited(state, parts_.cache_forgets_who_ran_last ? kNoThread : at.running(), spent);
}

template <class Cost>
void TreeSearch::expand_step(NodeIndex node, TraceView trace, const ScheduleCursor& at, uint32_t spent, Cost&& cost) {
  const Step& step = at.step();
  if (parts_.depth && at.index() >= *parts_.depth) {
    beyond_depth_ |= step.is_choice() ? step.alternatives() > 1 : trace.enabled(step).size() > 1;
    return;
  }
  if (step.is_choice()) {
    for (uint16_t value = 0; value < step.alternatives(); ++value)
      if (value != step.taken()) add(node, {at.index(), value, spent});
    return;
  }
  trace.enabled(step).for_each([&](ThreadId t) {
    if (t == step.thread) return;
    const uint32_t total = spent + cost(at, t);
    if (watches_variables() && !allows(at, t)) return;
    if (!parts_.bound || total <= *parts_.bound) add(node, {at.index(), static_cast<uint16_t>(t), total});
  });
}

bool TreeSearch::allows(const ScheduleCursor& at, ThreadId next) {
  if (at.cost(next) == 0 || at.running() == kNoThread) return true;
  const ObjectId last = last_access_.of(at.running());
  if (parts_.track) {
    const auto tracked = [&](ObjectId object) {
      const auto address = static_cast<uint64_t>(object);
      return std::any_of(parts_.tracked.begin(), parts_.tracked.end(),
                         [&](const TrackedRange& r) { return r.contains(address); });
    };
    // The next operation of the preempted thread, when it continues, is usually this very step.
    const Step& step = at.step();
    if (!tracked(last) && !(step.thread == at.running() && tracked(step.object))) return false;
  }
  if (!parts_.variables || last == kNoObject) return true;
  const bool known = std::binary_search(charged_.begin(), charged_.end(), last);
  return known || charged_.size() < *parts_.variables;
}

void TreeSearch::charge(const ScheduleCursor& at) {
  const Step& step = at.step();
  if (!step.is_choice() && at.cost(step.thread) > 0 && at.running() != kNoThread)
    if (const ObjectId last = last_access_.of(at.running()); last != kNoObject) {
      const auto place = std::lower_bound(charged_.begin(), charged_.end(), last);
      if (place == charged_.end() || *place != last) charged_.insert(place, last);
    }
  last_access_.step(step);
}

void TreeSearch::add(NodeIndex parent, const Alternative& alternative) {
  const uint64_t rank = parts_.rank ? parts_.rank(alternative) : 0;
  if (rank > parts_.worst_rank || frontier_.size() >= parts_.most_open) return;
  open(rank, parent, alternative.step, alternative.value, alternative.cost);
}

void TreeSearch::open(uint64_t rank, NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost) {
  if (const auto leaf = Leaf::of(tree_[parent], step, value, cost)) {
    tree_.reserve(parent);
    frontier_.push(rank, parent, *leaf);
  } else {
    frontier_.push(rank, tree_.create(parent, step, value, cost));
  }
}

NodeIndex TreeSearch::node_of(const OpenExecution& open) {
  if (!open.leaf) return open.node;
  const ExecutionTree::Node& parent = tree_[open.node];
  return tree_.create_reserved(open.node, open.leaf->step_after(parent), open.leaf->value,
                               open.leaf->cost_after(parent));
}

uint64_t TreeSearch::partial_schedules() const {
  std::vector<std::pair<NodeIndex, uint32_t>> leaves;
  frontier_.for_each_leaf(
      [&](NodeIndex parent, Leaf leaf) { leaves.emplace_back(parent, leaf.step_after(tree_[parent])); });
  return tree_.partial_schedules(leaves);
}

bool TreeSearch::spill(uint64_t bytes) {
  constexpr uint64_t kLeast = 4;         // open executions that stay in memory
  if (divided()) return units_.spill();  // one unit needs little memory
  if (cache_.memory_bytes() >= bytes) return false;
  while (memory_bytes() > bytes && frontier_.size() > kLeast) {
    uint64_t rank = 0;
    const std::vector<OpenExecution> given = frontier_.give_up(rank);
    std::vector<Spill::Item> items(given.size());
    std::ranges::transform(given, items.begin(), [this](const OpenExecution& open) { return item_of(open); });
    if (!spill_.put(rank, items)) {
      for (const OpenExecution& open : given) {
        if (open.leaf)
          frontier_.push(rank, open.node, *open.leaf);
        else
          frontier_.push(rank, open.node);
      }
      return false;
    }
    for (const OpenExecution& open : given) forget(open);
  }
  return true;  // the rest of the memory belongs to the remaining few
}

void TreeSearch::fetch() {
  if (spill_.empty() || (!frontier_.empty() && frontier_.best_rank() <= spill_.lowest_rank())) return;
  const uint64_t rank = spill_.lowest_rank();
  std::vector<Spill::Item> items;
  if (!spill_.take(rank, items)) {
    lost_ += spill_.size();
    spill_ = {};
    return;
  }
  hang(rank, items);
}

bool TreeSearch::complete() const {
  return exhausted() && !selective() && diverged_ == 0 && lost_ == 0 && cut_ == 0 && !pruned_wrongly_;
}

void TreeSearch::save(StateWriter& out) const {
  tree_.save(out);
  frontier_.save(out);
  spill_.save(out);
  put_queue(out, in_flight_);
  for (const uint64_t number : {level_, diverged_, lost_, cut_, lowest_cut_rank_.value_or(~uint64_t{0})})
    out.put(number);
  cache_.save(out);
  out.put(executed_);
  if (divided()) {
    units_.save(out);
    out.put(unit_.value_or(UnitHere{kNoUnit, 0}));
    out.put(peak_of_units_);
  }
  for (const bool flag : {parts_.cache, pruned_, pruned_wrongly_, beyond_depth_}) out.put(flag);
}

void TreeSearch::load(StateReader& in) {
  tree_.load(in);
  frontier_.load(in, tree_);
  spill_.load(in);
  in_flight_ = get_queue<InFlight>(in);
  for (const InFlight& f : in_flight_)
    if (!tree_.holds(f.node)) return in.reject();
  for (uint64_t* number : {&level_, &diverged_, &lost_, &cut_}) *number = in.get<uint64_t>();
  const auto cut_rank = in.get<uint64_t>();
  if (cut_rank != ~uint64_t{0}) lowest_cut_rank_ = cut_rank;
  cache_.load(in);
  executed_ = in.get<uint64_t>();
  if (divided()) load_units(in);
  for (bool* flag : {&parts_.cache, &pruned_, &pruned_wrongly_, &beyond_depth_}) *flag = in.get<uint8_t>() != 0;
}

// Called after every execution. The alternatives of an execution cost no less than the execution, so this value never
// falls. The loop stops at the first rank equal to the previous value, which is mostly the first one.
uint64_t TreeSearch::lowest_open_rank() const {
  uint64_t lowest = frontier_.empty() ? ~uint64_t{0} : frontier_.best_rank();
  if (!spill_.empty()) lowest = std::min(lowest, spill_.lowest_rank());
  if (!units_.empty()) lowest = std::min(lowest, units_.lowest_rank());
  for (auto f = in_flight_.begin(); f != in_flight_.end() && lowest > lowest_open_; ++f)
    lowest = std::min(lowest, f->rank);
  return lowest_open_ = lowest;
}

uint64_t TreeSearch::estimated_total() const {
  if (parts_.level_by_level) return spill_.empty() ? level_estimate_.total() : 0;
  return plain() ? weight_estimate_.total() : 0;
}

// A cut execution hides others with at least as many preemptions. A diverged or lost execution could hide any.
std::optional<uint32_t> TreeSearch::bound_completed() const {
  if (diverged_ || lost_ || pruned_wrongly_ || selective()) return std::nullopt;
  if (!parts_.level_by_level) return complete() ? parts_.bound : std::nullopt;
  const uint64_t size = parts_.level_size;
  uint64_t open =
      exhausted() ? parts_.bound.value_or((level_ + 1) * size - 1) + uint64_t{1} : lowest_open_rank() * size;
  if (lowest_cut_rank_) open = std::min(open, *lowest_cut_rank_ * size);
  if (open == 0) return std::nullopt;
  return static_cast<uint32_t>(open - 1);
}

Claim TreeSearch::claim() const {
  Claim claim;
  claim.unrepeated = diverged_;
  claim.finished = complete();
  const std::optional<uint32_t> bound = bound_completed();
  if (counts_preemptions()) claim.preemptions_completed = bound;
  const bool everything = claim.finished && !parts_.bound;
  if (!everything && !bound) return claim;
  claim.scope = Scope::Executions;
  claim.bounds.variables = parts_.variables;
  if (beyond_depth_) claim.bounds.depth = parts_.depth;
  if (!everything) (counts_preemptions() ? claim.bounds.preemptions : claim.bounds.delays) = bound;
  return claim;
}

SearchStatus TreeSearch::status() const {
  return {.frontier_nodes = frontier_nodes(),
          .peak_frontier_nodes = peak(),
          .estimated_total = estimated_total(),
          .phase = parts_.level_by_level ? count_of((level_ + 1) * parts_.level_size - 1, parts_.unit) : std::string{}};
}

}  // namespace lockstep
