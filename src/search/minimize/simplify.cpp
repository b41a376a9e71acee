// Runs shrinking and the search for causes on a confirmed finding.
#include "search/minimize/simplify.hpp"

#include <chrono>
#include <unordered_map>

#include "model/schedule.hpp"
#include "search/base/failure_keys.hpp"
#include "search/minimize/cause.hpp"
#include "search/minimize/threads_needed.hpp"
#include "search/strategies/bounded.hpp"

namespace lockstep {
namespace {

// Tracks the same memory in every attempt, because records would not be comparable otherwise. Looks for races, because
// the bug may be a race.
class Tracking final : public Executor {
 public:
  Tracking(Executor& executor, const std::vector<TrackedRange>& tracked) : executor_(executor), tracked_(tracked) {}
  size_t window() const override { return executor_.window(); }
  void submit(const Plan& plan) override {
    if (tracked_.empty()) return executor_.submit(plan);
    Plan copy = plan;
    copy.tracked = tracked_;
    copy.survey = true;
    executor_.submit(copy);
  }
  std::optional<TraceView> next(const std::function<bool()>& interrupted) override {
    return executor_.next(interrupted);
  }
  void cancel() override { executor_.cancel(); }

 private:
  Executor& executor_;
  const std::vector<TrackedRange>& tracked_;
};

using Confirm = std::function<std::optional<Finding>(Finding)>;

// Decides which traces show the bug of a confirmed finding. Fingerprints need stacks, so a trace with an equal key is
// replayed once.
class SameBug {
 public:
  SameBug(const Finding& finding, std::span<Analysis* const> analyses, const Confirm& confirm,
          const std::vector<TrackedRange>& tracked)
      : finding_(finding), analyses_(analyses), confirm_(confirm), tracked_(tracked) {}

  std::optional<Finding> replay(const Trace& trace) const {
    Finding other = finding_;
    other.plan = plan_of(trace);
    other.plan.max_steps = finding_.plan.max_steps;
    other.plan.tracked = tracked_;
    std::optional<Finding> found = confirm_(std::move(other));
    return found && found->fingerprint == finding_.fingerprint ? found : std::nullopt;
  }
  bool operator()(const Trace& trace) {
    for (Analysis* analysis : analyses_) {
      const std::optional<Finding> found = analysis->check(trace);
      if (!found || found->kind != finding_.observed.value_or(finding_.kind)) continue;
      const auto [place, fresh] = known_.try_emplace(key_of(*found, trace), false);
      if (fresh) place->second = replay(trace).has_value();
      return place->second;
    }
    return false;
  }

 private:
  const Finding& finding_;
  const std::span<Analysis* const> analyses_;
  const Confirm& confirm_;
  const std::vector<TrackedRange>& tracked_;
  std::unordered_map<FailureKey, bool> known_;
};

}  // namespace

std::optional<Finding> find_with_points(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
                                        const Confirm& confirm, const std::vector<TrackedRange>& racy,
                                        const ShrinkBudget& budget) {
  constexpr int kMostExecutions = 1000;
  constexpr auto kMostTime = std::chrono::milliseconds(500);
  const auto start = std::chrono::steady_clock::now();
  Tracking tracking(executor, racy);
  SameBug same(finding, analyses, confirm, racy);
  const auto search = make_chess({.preemptions = {}, .max_steps = finding.plan.max_steps});
  for (int n = 0; n < kMostExecutions && std::chrono::steady_clock::now() - start < kMostTime; ++n) {
    if (budget.must_stop()) break;
    const std::optional<Plan> plan = search->next();
    if (!plan) break;
    tracking.submit(*plan);
    const std::optional<TraceView> view = tracking.next([] { return false; });
    if (!view) break;
    search->learn(*view);
    if (!is_whole(view->outcome()) || view->outcome() == Outcome::Ok) continue;
    const Trace trace(*view);
    if (same(trace)) return same.replay(trace);
  }
  return std::nullopt;
}

Cause cause_of(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding, const Confirm& confirm,
               const ShrinkBudget& budget) {
  SameBug same_bug(finding, analyses, confirm, finding.plan.tracked);
  const SameFailure same = [&](const Trace& trace) { return same_bug(trace); };
  Tracking tracking(executor, finding.plan.tracked);
  return find_cause(tracking, finding.trace, finding.plan.max_steps, same, budget);
}

Finding simplify(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
                 const Confirm& confirm, std::optional<uint32_t> proved, const ShrinkBudget& budget) {
  const uint32_t max_steps = finding.plan.max_steps;
  SameBug same_bug(finding, analyses, confirm, finding.plan.tracked);
  const SameFailure same = [&](const Trace& trace) { return same_bug(trace); };
  Tracking tracking(executor, finding.plan.tracked);
  const std::optional<Shrunk> shrunk = shrink(tracking, finding.trace, max_steps, same, proved, budget);
  Finding simplest = shrunk ? same_bug.replay(shrunk->trace).value_or(finding) : finding;
  // The order that matters is the one of the two accesses.
  if (simplest.race && !simplest.race->misuse()) return simplest;
  if (const auto threads = threads_needed(tracking, simplest.trace, max_steps, same, budget))
    simplest.threads = *threads;
  return simplest;
}

}  // namespace lockstep
