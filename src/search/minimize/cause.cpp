// Reverses the conflicts of a failing execution one by one, then its switches.
#include "search/minimize/cause.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/happens_before.hpp"
#include "model/schedule.hpp"
#include "search/base/schedule_segments.hpp"
#include "search/dpor/race_finder.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

bool is_decision(const Step& step) { return !step.is_note() && !step.is_choice(); }

class CauseFinder {
 public:
  CauseFinder(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same,
              const ShrinkBudget& budget)
      : executor_(executor),
        failing_(failing),
        max_steps_(std::min(max_steps, steps_for(failing))),
        same_(same),
        budget_(budget) {}

  Cause run() {
    cause_.searched = true;
    for (const Conflict& conflict : conflicts()) {
      if (spent()) {
        ++cause_.left_out;
        continue;
      }
      try_reversed({conflict.first, conflict.second});
    }
    if (cause_.orders.empty()) try_others_first();
    if (cause_.orders.empty()) try_other_switches();
    drop_implied();
    return std::move(cause_);
  }

 private:
  struct Conflict {
    uint32_t first, second;
    auto operator<=>(const Conflict&) const = default;
  };
  // A reversed execution that takes many times as long turns round in a loop.
  static uint32_t steps_for(TraceView failing) { return 10'000 + 10 * static_cast<uint32_t>(failing.steps().size()); }

  // Only the last steps of a long execution are looked at: more could not be reversed one after the other.
  static constexpr uint32_t kMostSteps = 4'000, kLookEvery = 256, kGoesOn = 1'000;

  bool spent() const {
    return executions_ >= budget_.executions || Clock::now() - start_ >= budget_.time || budget_.must_stop();
  }

  // Latest first: executions that depart late are the easiest to compare.
  std::vector<Conflict> conflicts() {
    std::vector<Conflict> found;
    dpor::RaceFinder finder(order_);
    std::vector<uint32_t> partners;
    const auto steps = failing_.steps();
    for (uint32_t i = 0; i < steps.size(); ++i) {
      if (i % kLookEvery == 0 && spent()) {
        cause_.left_out += static_cast<uint32_t>(steps.size()) - i;
        return {};
      }
      order_.push(steps[i]);
      if (!is_decision(steps[i])) continue;
      if (steps.size() - i > kMostSteps) {
        ++cause_.left_out;
        continue;
      }
      partners.clear();
      finder.find(order_[i], i, false, false, partners);
      add_earlier_accesses(i, partners);
      for (const uint32_t first : partners) found.push_back({first, i});
    }
    const auto pending = failing_.pending();
    for (uint32_t p = 0; p < pending.size(); ++p) {  // locks of a deadlock, which are never taken
      if (!(pending[p].flags & Step::kBlocked)) continue;
      partners.clear();
      finder.find(dpor::as_event(order_, pending[p]), order_.size(), true, false, partners);
      for (const uint32_t first : partners) found.push_back({first, static_cast<uint32_t>(steps.size() + p)});
    }
    std::erase_if(found, [&](const Conflict& c) { return !is_decision(steps[c.first]); });
    std::ranges::sort(found, {}, [](const Conflict& c) { return std::pair(~c.first, c.second); });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    put_repetitions_last(found);
    return found;
  }

  const Step& step_at(uint32_t index) const {
    const auto steps = failing_.steps();
    return index < steps.size() ? steps[index] : failing_.pending()[index - steps.size()];
  }

  // Of pairs with the same operations, as a loop has them, the first and the last are tried before the others.
  void put_repetitions_last(std::vector<Conflict>& found) const {
    const auto key = [&](const Conflict& c) {
      const Step &a = step_at(c.first), &b = step_at(c.second);
      return std::tuple(a.thread, a.kind, a.object, b.thread, b.kind, b.object);
    };
    std::map<decltype(key(Conflict{})), std::pair<Conflict, Conflict>> ends;
    for (const Conflict& c : found) ends.try_emplace(key(c), c, c).first->second.second = c;
    std::stable_partition(found.begin(), found.end(), [&](const Conflict& c) {
      const auto& [last, first] = ends.at(key(c));
      return c == last || c == first;
    });
  }

  // Adds, for each other thread, its last access that conflicts with step `i` and its last conflicting read. Other
  // accesses may lie between, but the value read may matter.
  void add_earlier_accesses(uint32_t i, std::vector<uint32_t>& partners) const {
    const auto steps = failing_.steps();
    if (!is_access(steps[i].kind)) return;
    constexpr uint32_t kFarthest = 500;
    std::set<std::pair<ThreadId, bool>> met;
    for (uint32_t k = i; k-- > 0 && i - k <= kFarthest;) {
      if (!is_access(steps[k].kind) || steps[k].thread == steps[i].thread) continue;
      if (!dependent(steps[k].operation(), steps[i].operation())) continue;
      const bool fresh = met.emplace(steps[k].thread, (steps[k].flags & Step::kWrite) != 0).second;
      if (fresh && std::find(partners.begin(), partners.end(), k) == partners.end()) partners.push_back(k);
    }
  }

  // Another thread could have gone on before the last step of the one that failed: what it does then is not in the
  // trace.
  void try_others_first() {
    const ThreadId culprit = failing_.header().culprit;
    const auto steps = failing_.steps();
    auto last = static_cast<uint32_t>(steps.size());
    while (last-- > 0 && !(is_decision(steps[last]) && steps[last].thread == culprit)) {
    }
    if (last == kNoStep || failing_.outcome() == Outcome::Livelock) return;
    const auto pending = failing_.pending();
    for (uint32_t p = 0; p < pending.size() && !spent(); ++p)
      if (pending[p].thread != culprit && !(pending[p].flags & Step::kBlocked))
        try_reversed({last, static_cast<uint32_t>(steps.size() + p)}, kGoesOn);
  }

  ThreadId second_thread(const NeededOrder& o) const {
    const size_t steps = failing_.steps().size();
    return o.second < steps ? failing_.steps()[o.second].thread : failing_.pending()[o.second - steps].thread;
  }

  // The steps before `second` that do not depend on `first`, then `second` and what its thread does next, `many` steps
  // in all, then the rest in its order.
  ScheduleSegments reversed(const NeededOrder& o, uint32_t many) const {
    const auto steps = failing_.steps();
    const auto end = std::min<uint32_t>(o.second, static_cast<uint32_t>(steps.size()));
    ScheduleSegments schedule;
    schedule.choices = segments_of(failing_).choices;
    std::vector<ThreadId> later;
    const auto run = [&](ThreadId t) { schedule.run(t, 1); };
    for (uint32_t i = 0; i < end; ++i) {
      if (!is_decision(steps[i])) continue;
      if (i >= o.first && order_.ordered(o.first, i))
        later.push_back(steps[i].thread);
      else
        run(steps[i].thread);
    }
    schedule.run(second_thread(o), many);
    for (const ThreadId t : later) run(t);
    for (uint32_t i = end + 1; i < steps.size(); ++i)
      if (is_decision(steps[i])) run(steps[i].thread);
    return schedule;
  }

  // The number of the step among the steps of its thread, from 1.
  static uint32_t number_in_thread(std::span<const Step> steps, uint32_t index, ThreadId thread) {
    uint32_t number = 0;
    for (uint32_t i = 0; i <= index && i < steps.size(); ++i)
      number += is_decision(steps[i]) && steps[i].thread == thread;
    return number;
  }

  bool came_reversed(const NeededOrder& o, TraceView trace) const {
    const auto steps = failing_.steps();
    const ThreadId a = steps[o.first].thread, b = second_thread(o);
    uint32_t first = number_in_thread(steps, o.first, a), second = number_in_thread(steps, o.second, b);
    if (o.second >= steps.size()) ++second;  // a pending operation was never executed
    for (const Step& step : trace.steps()) {
      if (!is_decision(step)) continue;
      if (step.thread == a && --first == 0) return false;
      if (step.thread == b && --second == 0) return true;
    }
    return false;
  }

  // Nothing if the execution does not come to an end. Valid until the next one.
  std::optional<TraceView> execute(const ScheduleSegments& schedule, uint32_t many) {
    ++executions_;
    Plan plan = plan_for(schedule, max_steps_);
    // Only the default schedule, which is fair, shows that an execution goes round in a cycle.
    plan.policy_until = static_cast<uint32_t>(failing_.steps().size()) + many;
    executor_.submit(plan);
    const std::optional<TraceView> view = executor_.next([this] { return budget_.must_stop(); });
    return view && is_whole(view->outcome()) ? view : std::nullopt;
  }

  void try_reversed(const NeededOrder& order, uint32_t many = 1) {
    const std::optional<TraceView> view = execute(reversed(order, many), many);
    if (!view || !came_reversed(order, *view)) {
      ++cause_.left_out;
      return;
    }
    const Trace trace(*view);
    ++cause_.reversed;
    if (trace.view().outcome() != Outcome::Ok || same_(trace)) return;
    cause_.orders.push_back(order);
    const uint32_t departs = departure(trace);
    if (!cause_.passing.empty() && departs <= cause_.departs) return;
    cause_.passing = trace;
    cause_.departs = departs;
  }

  // A thread that goes on where the failing execution switches to another one reverses several orders at once. Latest
  // switch first; the thread that ran before the switch comes before others.
  void try_other_switches() {
    const auto steps = failing_.steps();
    std::set<ThreadId> later;
    for (const Step& step : failing_.pending())
      if (!(step.flags & Step::kBlocked)) later.insert(step.thread);
    uint32_t next = kNoStep;
    for (auto i = static_cast<uint32_t>(steps.size()); i-- > 0 && steps.size() - i <= kMostSteps;) {
      if (!is_decision(steps[i])) continue;
      if (next != kNoStep && steps[i].thread != steps[next].thread && goes_on_instead(i, next, later)) return;
      later.insert(steps[i].thread);
      next = i;
    }
  }

  bool goes_on_instead(uint32_t last, uint32_t next, const std::set<ThreadId>& later) {
    const auto steps = failing_.steps();
    std::vector<ThreadId> threads(later.begin(), later.end());
    std::erase(threads, steps[next].thread);
    std::stable_partition(threads.begin(), threads.end(), [&](ThreadId t) { return t == steps[last].thread; });
    return std::ranges::any_of(threads, [&](ThreadId t) { return !spent() && passes_if_goes_on(last, t); });
  }

  bool passes_if_goes_on(uint32_t last, ThreadId thread) {
    const auto steps = failing_.steps();
    ScheduleSegments schedule;
    schedule.choices = segments_of(failing_).choices;
    for (uint32_t i = 0; i < steps.size(); ++i) {
      if (is_decision(steps[i])) schedule.run(steps[i].thread, 1);
      if (i == last) schedule.run(thread, kGoesOn);
    }
    const std::optional<TraceView> view = execute(schedule, kGoesOn);
    if (!view || view->outcome() != Outcome::Ok) return false;
    const Trace trace(*view);
    const uint32_t departs = departure(trace);
    if (departs >= trace.view().steps().size() || trace.view().steps()[departs].thread != thread || same_(trace))
      return false;
    cause_.passing = trace;
    cause_.departs = departs;
    return true;
  }

  // The first record where another thread runs. Additional data of detailed executions do not count.
  uint32_t departure(TraceView trace) const {
    const auto a = failing_.steps(), b = trace.steps();
    uint32_t i = 0;
    while (i < a.size() && i < b.size() && a[i].thread == b[i].thread && a[i].kind == b[i].kind) ++i;
    return i;
  }

  // Order (a, b) follows from (c, d) if a comes no later than c in their thread, and d no later than b in theirs.
  bool implies(const NeededOrder& by, const NeededOrder& o) const {
    const auto steps = failing_.steps();
    return steps[o.first].thread == steps[by.first].thread && second_thread(o) == second_thread(by) &&
           o.first <= by.first && by.second <= o.second;
  }
  void drop_implied() {
    std::vector<NeededOrder> kept;
    for (size_t i = 0; i < cause_.orders.size(); ++i) {
      const auto follows = [&](const NeededOrder& by) {
        return &by != &cause_.orders[i] && implies(by, cause_.orders[i]);
      };
      if (std::none_of(cause_.orders.begin(), cause_.orders.end(), follows)) kept.push_back(cause_.orders[i]);
    }
    std::sort(kept.begin(), kept.end(), [](const NeededOrder& a, const NeededOrder& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    cause_.orders = std::move(kept);
  }

  Executor& executor_;
  const TraceView failing_;
  const uint32_t max_steps_;
  const SameFailure& same_;
  const ShrinkBudget budget_;
  const Clock::time_point start_ = Clock::now();
  HappensBefore order_;
  uint64_t executions_ = 0;
  Cause cause_;
};

}  // namespace

Cause find_cause(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same,
                 const ShrinkBudget& budget) {
  return CauseFinder(executor, failing, max_steps, same, budget).run();
}

}  // namespace lockstep
