#include "search/variables/thread_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/bounds.hpp"
#include "search/base/seeds.hpp"

namespace lockstep {

uint64_t permutations_needed(unsigned n, unsigned t, double epsilon) {
  t = std::min(t, n);
  if (t < 2) return 1;
  const double orders = std::tgamma(t + 1.0);
  const double pairs = std::lgamma(n + 1.0) - std::lgamma(n - t + 1.0);  // ln(t! C(n, t))
  return static_cast<uint64_t>(std::ceil((pairs - std::log(epsilon)) / -std::log1p(-1 / orders)));
}

ThreadBoundSearch::ThreadBoundSearch(const ThreadBoundOptions& options) : options_(options) {
  const unsigned fragments = options_.all_threads + options_.preemptions,
                 constrained = options_.threads + options_.preemptions;
  std::vector<uint32_t> order(fragments);
  std::iota(order.begin(), order.end(), 1);
  const double all = std::tgamma(fragments + 1.0);
  const uint64_t needed = permutations_needed(fragments, constrained, options_.epsilon);
  if (options_.preemptions == 0 && options_.threads == 2) {  // one order and its reverse
    permutations_ = {order, {order.rbegin(), order.rend()}};
    certain_ = true;
  } else if (all <= static_cast<double>(needed)) {
    do permutations_.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    certain_ = true;
  } else {
    for (uint64_t p = 0; p < needed; ++p) {
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[seed_of(options_.seed ^ 0x7b0d, p * order.size() + i) % i]);
      permutations_.push_back(order);
    }
  }
  for (size_t p = 0; p < permutations_.size(); ++p) queue_.push_back({p, {}});
}

bool ThreadBoundSearch::tracked(ObjectId object) const {
  const auto address = static_cast<uint64_t>(object);
  return std::any_of(options_.tracked.begin(), options_.tracked.end(),
                     [&](const TrackedRange& r) { return r.contains(address); });
}

std::optional<Plan> ThreadBoundSearch::next() {
  if (queue_.empty() && in_flight_.empty()) queue_.swap(later_);
  if (queue_.empty()) return std::nullopt;
  in_flight_.push_back(std::move(queue_.front()));
  queue_.pop_front();
  const Item& item = in_flight_.back();
  Plan plan;
  plan.policy = Policy::Priorities;
  plan.max_steps = options_.max_steps;
  plan.tracked = options_.tracked;
  plan.extra.push_back(options_.all_threads);
  const std::vector<uint32_t>& order = permutations_[item.permutation];
  plan.extra.insert(plan.extra.end(), order.begin(), order.begin() + options_.all_threads);
  for (const Change& c : item.changes) plan.extra.insert(plan.extra.end(), {c.record, c.priority});
  return plan;
}

// After every access to a tracked variable the thread that did it could have been preempted: it continues as another
// one.
void ThreadBoundSearch::learn(TraceView trace) {
  const Item item = std::move(in_flight_.front());
  in_flight_.pop_front();
  switch (trace.outcome()) {
    case Outcome::WorkerDied:
    case Outcome::Uncontrolled:
    case Outcome::Diverged: ++bad_; return;
    case Outcome::StepLimit: ++bad_; break;
    default: break;
  }
  if (item.changes.size() >= options_.preemptions) return;
  const std::vector<uint32_t>& order = permutations_[item.permutation];
  std::vector<uint32_t> priority(order.begin(), order.begin() + options_.all_threads);
  const uint32_t lower = order[options_.all_threads + item.changes.size()];
  const uint32_t from = item.changes.empty() ? 0 : item.changes.back().record + 1;
  LastAccess last;
  size_t change = 0;
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    const Step& step = at.step();
    if (step.is_note() || step.is_choice()) continue;
    const ThreadId running = at.running();
    for (; change < item.changes.size() && item.changes[change].record <= at.index(); ++change)
      if (running != kNoThread && index_of(running) < priority.size())
        priority[index_of(running)] = item.changes[change].priority;
    const bool near =
        running != kNoThread && (tracked(last.of(running)) || (step.thread == running && tracked(step.object)));
    if (at.index() >= from && near && at.enabled().contains(running) && index_of(running) < priority.size()) {
      bool others = false;  // somebody would run instead
      at.enabled().for_each([&](ThreadId t) {
        others |= t != running && index_of(t) < priority.size() && priority[index_of(t)] > lower;
      });
      if (others) {
        Item child = item;
        child.changes.push_back({at.index(), lower});
        later_.push_back(std::move(child));
      }
    }
    last.step(step);
  }
}

void ThreadBoundSearch::save(StateWriter& out, const Item& item) {
  out.put<uint64_t>(item.permutation);
  out.put_all(item.changes);
}

// What is under way is run again, first.
void ThreadBoundSearch::save(StateWriter& out) const {
  out.put<uint64_t>(in_flight_.size() + queue_.size());
  for (const Item& item : in_flight_) save(out, item);
  for (const Item& item : queue_) save(out, item);
  out.put<uint64_t>(later_.size());
  for (const Item& item : later_) save(out, item);
  out.put(bad_);
}

void ThreadBoundSearch::load(StateReader& in) {
  for (std::deque<Item>* queue : {&queue_, &later_}) {
    queue->clear();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto permutation = in.get<uint64_t>();
      if (permutation >= permutations_.size()) return in.reject();
      queue->push_back({permutation, in.get_all<Change>()});
    }
  }
  bad_ = in.get<uint64_t>();
}

}  // namespace lockstep
