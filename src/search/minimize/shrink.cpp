// Shrinks a failing schedule by hill climbing, random changes and a bounded search.
#include "search/minimize/shrink.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/bounds.hpp"
#include "model/schedule.hpp"
#include "search/base/schedule_segments.hpp"
#include "search/base/seeds.hpp"
#include "search/base/trace_set.hpp"
#include "search/strategies/bounded.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t kShrinkSeed = 0x7368'7269'6e6b;

struct Candidate {
  Trace trace;
  Complexity complexity;
};

class Shrinker {
 public:
  Shrinker(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same,
           const ShrinkBudget& budget)
      : executor_(executor),
        max_steps_(max_steps),
        same_(same),
        budget_(budget),
        passes_(failing.outcome() == Outcome::Ok),
        best_{Trace(failing), complexity_of(failing)},
        original_(best_.complexity) {}

  // The climb is cheap and removes most. Then random changes and the proof alternate, measured in executions: with many
  // threads there are too many orders for the proof; with few threads the proof finishes soon.
  std::optional<Shrunk> run(std::optional<uint32_t> proved) {
    coalesce(best_);
    climb(best_);
    const uint32_t least = proved ? *proved + 1 : 0;
    std::unique_ptr<Search> proof;
    for (uint64_t slice = 250; best_.complexity.preemptions > least && !spent(); slice *= 2) {
      const uint32_t before = best_.complexity.preemptions;
      if (!proof) proof = make_chess({before - 1, max_steps_});
      if (challenge(*proof, slice) == Verdict::Proved) break;
      if (best_.complexity.preemptions == before) wander(slice, least);
      climb(best_);
      if (best_.complexity.preemptions < before) {
        proof.reset();
        slice = 125;
      }
    }
    if (!(best_.complexity < original_)) return std::nullopt;
    return Shrunk{std::move(best_.trace), best_.complexity, executions_};
  }

 private:
  enum class Verdict { Open, Proved };

  bool spent() const {
    return executions_ >= budget_.executions || Clock::now() - start_ >= budget_.time || budget_.must_stop();
  }

  std::optional<TraceView> execute(const Plan& plan) {
    ++executions_;
    executor_.submit(plan);
    return executor_.next([this] { return budget_.must_stop(); });
  }

  // Replaces `now` by the execution if it fails in the same way and is simpler than `limit`.
  bool consider(TraceView trace, Candidate& now, const Complexity& limit) {
    if (trace.outcome() == Outcome::WorkerDied || (trace.outcome() == Outcome::Ok && !passes_)) return false;
    const Complexity complexity = complexity_of(trace);
    if (!(complexity < limit)) return false;
    Trace kept(trace);  // the view is invalid once `same_` runs an execution
    if (!same_(kept)) return false;
    now = {std::move(kept), complexity};
    return true;
  }

  bool try_schedule(const ScheduleSegments& schedule, Candidate& now, const Complexity& limit) {
    const Plan plan = plan_for(schedule, max_steps_);
    if (!tried_.insert(hash_of(plan.extra))) return false;
    const std::optional<TraceView> trace = execute(plan);
    return trace && consider(*trace, now, limit);
  }

  // Delta debugging (Zeller & Hildebrandt 2002) over the switches of a long schedule: joins the segments of each thread
  // in one part of the schedule after the other. Starts at the end, because the steps before a changed part stay the
  // same.
  void coalesce(Candidate& now) {
    constexpr size_t kShort = 32, kParts = 4;
    const auto size = [&now] { return segments_of(now.trace).size(); };
    for (size_t parts = 1, before = size(); before > kShort && parts <= before / 2 && !spent();) {
      for (size_t i = parts; i-- > 0 && !spent();) {
        const ScheduleSegments was = segments_of(now.trace);
        const size_t begin = std::min(before * i / parts, was.size());
        const size_t end = std::min(std::max(before * (i + 1) / parts, begin), was.size());
        for (const auto turn : {ScheduleSegments::Turn::First, ScheduleSegments::Turn::Last})
          if (end - begin > 1 && try_schedule(was.coalesced(begin, end, turn), now, Complexity(now.complexity))) break;
      }
      const size_t after = size();
      parts = parts == 1 || after * 4 > before * 3 ? 2 * parts : kParts;
      before = after;
    }
  }

  // Hill climbing: applies the first change that helps, until none does.
  void climb(Candidate& now) {
    while (!spent() && improve(now)) {
    }
  }

  // As climb(), but gives up after a number of executions.
  void climb_a_while(Candidate& now) {
    const uint64_t end = budget_.executions;
    budget_.executions = std::min(end, executions_ + kLongClimb);
    climb(now);
    budget_.executions = end;
  }

  bool improve(Candidate& now) {
    const ScheduleSegments was = segments_of(now.trace);
    const auto better = [&](const ScheduleSegments& other) {
      return !spent() && try_schedule(other, now, Complexity(now.complexity));
    };
    for (size_t i = 0; i < was.choices.size(); ++i)
      if (better(was.without_choice(i))) return true;
    for (size_t keep = 0; keep < was.size(); keep = keep * 2 + 1)  // large cuts first
      if (better(was.first(keep))) return true;
    for (size_t i = 0; i < was.size() && !spent(); ++i) {
      const size_t j = was.next_of_thread(i);
      const bool goes_on = j < was.size();
      // Does the thread's next segment now, or this segment later together with the next, or not at all.
      if (goes_on && (better(was.joined(i, j)) || better(was.joined(j, i)))) return true;
      if (better(was.without(i)) || better(was.extended(i))) return true;
      // Continues the thread after the first segment, or the first half, of those in between.
      for (const size_t place : {i + 2, (i + 1 + j) / 2})
        if (goes_on && place < j && better(was.moved(j, place))) return true;
    }
    // Moves the whole turn of a preempted thread to another place.
    for (const size_t i : preempted(now.trace)) {
      const ScheduleSegments whole = was.extended(i);
      for (size_t to = 0; to < was.size() && !spent(); ++to)
        if (to != i && better(whole.moved(i, to))) return true;
    }
    return false;
  }

  // The segments that end in a preemption.
  static std::vector<size_t> preempted(TraceView trace) {
    std::vector<size_t> found;
    size_t segment = 0;
    for (ScheduleCursor at(trace); !at.done(); at.advance()) {
      const Step& step = at.step();
      if (step.is_note() || step.is_choice() || at.running() == kNoThread || step.thread == at.running()) continue;
      if (at.cost(step.thread) > 0) found.push_back(segment);
      ++segment;
    }
    return found;
  }

  // Random changes: orders of whole threads with one preemption less, or the best schedule with some segments moved. A
  // climb starts from each candidate that still fails, even if it is more complex.
  void wander(uint64_t most, uint32_t least) {
    const uint64_t end = executions_ + most;
    const uint32_t before = best_.complexity.preemptions;
    while (executions_ < end && !spent() && best_.complexity.preemptions == before && before > least) {
      const uint64_t tried = executions_;
      const ScheduleSegments schedule =
          draw(2) == 0 ? shaken(segments_of(best_.trace)) : fresh(segments_of(best_.trace), before - 1);
      Candidate other;
      Complexity limit = best_.complexity;
      limit.preemptions += 1;
      if (try_schedule(schedule, other, limit)) {
        climb_a_while(other);
        if (other.complexity < best_.complexity) best_ = std::move(other);
      }
      if (executions_ == tried && ++rounds_without_a_try_ > kMostRoundsWithoutATry)
        return;  // all random changes have been tried before
    }
  }

  ScheduleSegments shaken(ScheduleSegments schedule) {
    if (schedule.segments.empty()) return schedule;
    for (uint64_t changes = 1 + draw(3); changes > 0; --changes) {
      const size_t i = draw(schedule.size()), to = draw(schedule.size());
      if (draw(2) == 0) schedule = schedule.extended(i);
      if (to != i) schedule = schedule.moved(i, to);
    }
    return schedule;
  }

  // Runs every thread as far as possible, in random order. `preemptions` threads are stopped once: at a random step, or
  // where the failing schedule stops them.
  ScheduleSegments fresh(const ScheduleSegments& was, uint32_t preemptions) {
    std::vector<uint32_t> steps(kMaxThreads, 0);
    std::vector<std::vector<uint32_t>> stops(kMaxThreads);
    ScheduleSegments schedule;
    schedule.choices = was.choices;
    for (const Segment& s : was.segments) {
      if (steps[index_of(s.thread)] == 0) schedule.segments.push_back({s.thread, Segment::kUntilItCannot});
      stops[index_of(s.thread)].push_back(steps[index_of(s.thread)] += s.steps);
    }
    auto& all = schedule.segments;
    // Main creates the others, so it stays first.
    for (size_t i = all.size(); i > 2; --i) std::swap(all[i - 1], all[1 + draw(i - 1)]);
    for (uint32_t n = 0; n < preemptions && !all.empty(); ++n) {
      const size_t i = draw(all.size());
      const Segment again = all[i];
      const auto& known = stops[index_of(again.thread)];
      all[i].steps = draw(2) == 0 ? known[draw(known.size())] : 1 + static_cast<uint32_t>(draw(known.back()));
      const size_t place = i + 1 + draw(all.size() - i);
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), again);
    }
    return schedule;
  }

  uint64_t draw(uint64_t below) { return seed_of(kShrinkSeed, draws_++) % below; }

  Verdict challenge(Search& search, uint64_t most) {
    for (const uint64_t end = executions_ + most; executions_ < end && !spent();) {
      const std::optional<Plan> plan = search.next();
      if (!plan) return Verdict::Proved;
      const std::optional<TraceView> trace = execute(*plan);
      if (!trace) return Verdict::Open;  // out of time
      search.learn(*trace);
      if (consider(*trace, best_, Complexity(best_.complexity))) return Verdict::Open;
    }
    return Verdict::Open;
  }

  static constexpr uint64_t kMostRoundsWithoutATry = 1000, kLongClimb = 100;

  Executor& executor_;
  const uint32_t max_steps_;
  const SameFailure& same_;
  ShrinkBudget budget_;
  const bool passes_;  // the failing execution ends normally: the program does not notice the bug
  const Clock::time_point start_ = Clock::now();
  Candidate best_;
  const Complexity original_;
  TraceSet tried_;
  uint64_t executions_ = 0, draws_ = 0, rounds_without_a_try_ = 0;
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
                             std::optional<uint32_t> proved, const ShrinkBudget& budget) {
  return Shrinker(executor, failing, max_steps, same, budget).run(proved);
}

}  // namespace lockstep
