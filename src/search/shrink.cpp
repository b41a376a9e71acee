#include "search/shrink.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/bounds.hpp"
#include "model/schedule.hpp"
#include "search/strategies/icb.hpp"
#include "search/trace_set.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kUntilItCannot = 0xffff'ffff;

struct Stretch {
  ThreadId thread;
  uint32_t steps;
};
struct DataChoice {
  ThreadId thread;
  uint32_t number;  // among those of its thread, from 0
  uint16_t value;   // not 0
};
struct Outline {
  std::vector<Stretch> stretches;
  std::vector<DataChoice> choices;
};

Outline outline_of(TraceView trace) {
  Outline outline;
  std::vector<uint32_t> numbers(kMaxThreads, 0);
  for (const Step& step : trace.steps()) {
    if (step.is_note()) continue;
    if (step.is_choice()) {
      const uint32_t number = numbers[index_of(step.thread)]++;
      if (step.value != 0) outline.choices.push_back({step.thread, number, step.value});
    } else if (!outline.stretches.empty() && outline.stretches.back().thread == step.thread) {
      ++outline.stretches.back().steps;
    } else {
      outline.stretches.push_back({step.thread, 1});
    }
  }
  return outline;
}

Plan plan_for(const Outline& outline, uint32_t max_steps) {
  Plan plan;
  plan.policy = Policy::Guided;
  plan.max_steps = max_steps;
  for (const Stretch& s : outline.stretches) plan.deltas.push_back({s.steps, static_cast<uint16_t>(s.thread)});
  for (const DataChoice& c : outline.choices)
    plan.deltas.push_back({c.number, c.value, static_cast<uint16_t>(index_of(c.thread) + 1)});
  return plan;
}

class Shrinker {
 public:
  Shrinker(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same, ShrinkBudget budget)
      : executor_(executor), max_steps_(max_steps), same_(same), budget_(budget), best_(failing),
        complexity_(complexity_of(failing)), original_(complexity_) {}

  std::optional<Shrunk> run(std::optional<uint32_t> proved) {
    simplify();
    // The proof gets what is left; a simpler failure it finds is worth simplifying again.
    const uint32_t least = proved ? *proved + 1 : 0;
    if (complexity_.preemptions > least && challenge()) simplify();
    if (!(complexity_ < original_)) return std::nullopt;
    return Shrunk{std::move(best_), complexity_, executions_};
  }

 private:
  bool spent() const { return executions_ >= budget_.executions || Clock::now() - start_ >= budget_.time; }

  // Runs it; if it fails in the same way and is simpler, it is the best from now on.
  bool try_plan(const Plan& plan) {
    ++executions_;
    executor_.submit(plan);
    const std::optional<TraceView> trace = executor_.next([] { return false; });
    return trace && consider(*trace);
  }

  bool consider(TraceView trace) {
    if (trace.outcome() == Outcome::Ok || trace.outcome() == Outcome::WorkerDied) return false;
    const Complexity now = complexity_of(trace);
    if (!(now < complexity_)) return false;
    Trace kept(trace);  // the view is gone once `same_` runs something
    if (!same_(kept)) return false;
    best_ = std::move(kept);
    complexity_ = now;
    return true;
  }

  bool try_outline(const Outline& outline) {
    uint64_t key = 0x243f6a8885a308d3ull;
    const Plan plan = plan_for(outline, max_steps_);
    for (const Delta& d : plan.deltas) {
      key = (key ^ (uint64_t{d.step} << 32 | uint64_t{d.reserved} << 16 | d.value)) * 0x9e3779b97f4a7c15ull;
      key ^= key >> 29;
    }
    return tried_.insert(key) && try_plan(plan);
  }

  // Hill climbing: the first change that helps is taken, until none does.
  void simplify() {
    while (!spent() && improve(outline_of(best_))) {
    }
  }

  bool improve(const Outline& now) {
    for (size_t i = 0; i < now.choices.size() && !spent(); ++i) {
      Outline other = now;
      other.choices.erase(other.choices.begin() + static_cast<std::ptrdiff_t>(i));
      if (try_outline(other)) return true;
    }
    // Big cuts first: everything from a stretch on is left to the default schedule.
    for (size_t keep = 0; keep < now.stretches.size() && !spent(); keep = keep * 2 + 1) {
      Outline other = now;
      other.stretches.resize(keep);
      if (try_outline(other)) return true;
    }
    for (size_t i = 0; i < now.stretches.size() && !spent(); ++i)
      if (join_later(now, i) || join_into_later(now, i) || leave_out(now, i) || draw_out(now, i) ||
          come_back_sooner(now, i))
        return true;
    return false;
  }

  // The thread does right away what it does later anyway.
  bool join_later(const Outline& now, size_t i) {
    const size_t j = next_of_thread(now, i);
    if (j == now.stretches.size()) return false;
    Outline other = now;
    other.stretches[i].steps += other.stretches[j].steps;
    other.stretches.erase(other.stretches.begin() + static_cast<std::ptrdiff_t>(j));
    return try_outline(other);
  }

  // The thread does later, in one go, what it does now.
  bool join_into_later(const Outline& now, size_t i) {
    const size_t j = next_of_thread(now, i);
    if (j == now.stretches.size()) return false;
    Outline other = now;
    other.stretches[j].steps += other.stretches[i].steps;
    other.stretches.erase(other.stretches.begin() + static_cast<std::ptrdiff_t>(i));
    return try_outline(other);
  }

  bool leave_out(const Outline& now, size_t i) {
    Outline other = now;
    other.stretches.erase(other.stretches.begin() + static_cast<std::ptrdiff_t>(i));
    return try_outline(other);
  }

  // A switch where the thread cannot go on is free.
  bool draw_out(const Outline& now, size_t i) {
    Outline other = now;
    other.stretches[i].steps = kUntilItCannot;
    return try_outline(other);
  }

  // The thread goes on when only the first, or the first half, of those who came between has had its turn.
  bool come_back_sooner(const Outline& now, size_t i) {
    const size_t j = next_of_thread(now, i);
    if (j == now.stretches.size()) return false;
    const auto at = [](std::vector<Stretch>& all, size_t index) { return all.begin() + static_cast<std::ptrdiff_t>(index); };
    for (size_t place : {i + 2, (i + 1 + j) / 2}) {
      if (place >= j) continue;
      Outline other = now;
      std::rotate(at(other.stretches, place), at(other.stretches, j), at(other.stretches, j + 1));
      if (try_outline(other)) return true;
    }
    return false;
  }

  static size_t next_of_thread(const Outline& outline, size_t i) {
    size_t j = i + 1;
    while (j < outline.stretches.size() && outline.stretches[j].thread != outline.stretches[i].thread) ++j;
    return j;
  }

  bool challenge() {
    const auto search = make_icb({complexity_.preemptions - 1, max_steps_});
    while (!spent()) {
      const std::optional<Plan> plan = search->next();
      if (!plan) return false;
      ++executions_;
      executor_.submit(*plan);
      const std::optional<TraceView> trace = executor_.next([] { return false; });
      if (!trace) return false;
      search->learn(*trace);
      if (consider(*trace)) return true;
    }
    return false;
  }

  Executor& executor_;
  const uint32_t max_steps_;
  const SameFailure& same_;
  const ShrinkBudget budget_;
  const Clock::time_point start_ = Clock::now();
  Trace best_;
  Complexity complexity_, original_;
  TraceSet tried_;
  uint64_t executions_ = 0;
};

}  // namespace

Complexity complexity_of(TraceView trace) {
  Complexity c;
  c.preemptions = count_preemptions(trace);
  std::vector<bool> seen;
  ThreadId running = kNoThread;
  for (const Step& step : trace.steps()) {
    if (step.is_note() || step.is_choice()) continue;
    ++c.steps;
    if (running != kNoThread && step.thread != running) ++c.switches;
    running = step.thread;
    if (index_of(running) >= seen.size()) seen.resize(index_of(running) + 1);
    if (!seen[index_of(running)]) ++c.threads;
    seen[index_of(running)] = true;
  }
  c.involved = bounds_of(trace).threads;
  return c;
}

std::optional<Shrunk> shrink(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same,
                             std::optional<uint32_t> proved, ShrinkBudget budget) {
  return Shrinker(executor, failing, max_steps, same, budget).run(proved);
}

}  // namespace lockstep
