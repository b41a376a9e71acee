// Tries orders of a few threads among all others.
#include "search/minimize/threads_needed.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/schedule.hpp"
#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostThreads = 24;
constexpr uint64_t kMostExecutions = 400;
constexpr uint64_t kRandomOrders = 4;  // besides the orders with all other threads first or last

using Order = std::vector<ThreadId>;  // the first thread has the highest priority

class Trials {
 public:
  Trials(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same, const ShrinkBudget& budget)
      : executor_(executor),
        max_steps_(max_steps),
        same_(same),
        budget_(budget),
        passes_(failing.outcome() == Outcome::Ok) {
    for (const Step& step : failing.steps())
      if (!step.is_note() && !step.is_choice()) meet(step.thread);
    for (const Step& step : failing.pending()) meet(step.thread);  // threads that had not started yet
  }

  std::optional<uint32_t> run() {
    const size_t all = order_.size();
    if (all < 3 || all > kMostThreads || !fails(order_)) return std::nullopt;
    for (size_t size = 2; size < all; ++size) {
      std::vector<bool> chosen(all, false);
      std::fill_n(chosen.begin(), size, true);
      do {
        if (suffices(chosen)) return static_cast<uint32_t>(size);
        if (spent()) return std::nullopt;
      } while (std::prev_permutation(chosen.begin(), chosen.end()));
    }
    return static_cast<uint32_t>(all);
  }

 private:
  void meet(ThreadId t) {
    names_ = std::max(names_, index_of(t) + 1);
    if (t != kMainThread && std::find(order_.begin(), order_.end(), t) == order_.end()) order_.push_back(t);
  }
  bool spent() const {
    return executions_ >= kMostExecutions || Clock::now() - start_ >= budget_.time || budget_.must_stop();
  }

  bool fails(const Order& order) {
    Plan plan;
    plan.policy = Policy::Priorities;
    plan.max_steps = max_steps_;
    plan.extra.assign(1 + names_, 0);
    plan.extra[0] = names_;
    plan.extra[1 + index_of(kMainThread)] = order.size() + 1;
    for (size_t i = 0; i < order.size(); ++i) plan.extra[1 + index_of(order[i])] = order.size() - i;
    ++executions_;
    executor_.submit(plan);
    const std::optional<TraceView> trace = executor_.next([this] { return budget_.must_stop(); });
    if (!trace || trace->outcome() == Outcome::WorkerDied || (trace->outcome() == Outcome::Ok && !passes_))
      return false;
    return same_(Trace(*trace));
  }

  bool suffices(const std::vector<bool>& chosen) {
    Order kept, others;
    for (size_t i = 0; i < order_.size(); ++i) (chosen[i] ? kept : others).push_back(order_[i]);
    const Order backwards(others.rbegin(), others.rend());
    for (const Order& rest : {backwards, others})
      for (const bool first : {false, true}) {
        Order order = first ? rest : kept;
        const Order& second = first ? kept : rest;
        order.insert(order.end(), second.begin(), second.end());
        if (spent() || !fails(order)) return false;
      }
    for (uint64_t n = 0; n < kRandomOrders; ++n) {
      Order order = kept;
      for (const ThreadId t : others) {
        const uint64_t draw = seed_of(n, executions_ * kMostThreads + index_of(t));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(draw % (order.size() + 1)), t);
      }
      if (spent() || !fails(order)) return false;
    }
    return true;
  }

  Executor& executor_;
  const uint32_t max_steps_;
  const SameFailure& same_;
  const ShrinkBudget budget_;
  const bool passes_;  // the failing execution ends normally: the program does not notice the bug
  const Clock::time_point start_ = Clock::now();
  Order order_;  // threads of the failing execution, by their first steps
  unsigned names_ = 1;
  uint64_t executions_ = 0;
};

}  // namespace

std::optional<uint32_t> threads_needed(Executor& executor, TraceView failing, uint32_t max_steps,
                                       const SameFailure& same, const ShrinkBudget& budget) {
  if (count_preemptions(failing) > 0) return std::nullopt;
  return Trials(executor, failing, max_steps, same, budget).run();
}

}  // namespace lockstep
