// The loop of an exploration: the state shared by explorer.cpp, unit_exploration.cpp and exploration_conclusion.cpp.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "model/plan_queue.hpp"
#include "model/schedule.hpp"
#include "search/base/saved_trace.hpp"
#include "search/base/trace_set.hpp"
#include "search/exploration/counts.hpp"
#include "search/exploration/explorer.hpp"
#include "search/exploration/unit_result.hpp"

namespace lockstep {

inline constexpr auto kProgressEvery = std::chrono::milliseconds(200);
// The first save is early, so that a run can be resumed from the beginning on. Later saves are more and more rare.
inline constexpr std::chrono::steady_clock::duration kFirstSave = std::chrono::seconds(2);
inline constexpr std::chrono::steady_clock::duration kSaveEvery = std::chrono::seconds(5);
// What it takes to save a state, until it has been measured on one that is not small.
inline constexpr double kSecondsPerByte = 4e-9;
inline constexpr uint64_t kSmallState = 4 << 20;
inline constexpr uint64_t kTrustFor = 64;  // executions
inline constexpr unsigned kMostDoubled = 30;
inline constexpr uint64_t kTraceShare = 4;  // the traces seen get one part in this many of the memory budget

// An exploration under way. Plans are handed out, executed and learned in one order, which depends on the search and
// the window only, never on the speed of workers.
class ExplorationLoop {
 public:
  using Clock = std::chrono::steady_clock;

  ExplorationLoop(Search& search, Executor& executor, std::span<Analysis* const> analyses, const Budget& budget,
                  bool keep_going, const ExplorerHooks& hooks)
      : search_(search),
        executor_(executor),
        budget_(budget),
        keep_going_(keep_going),
        hooks_(hooks),
        interrupted_(hooks.interrupted ? hooks.interrupted : [] { return false; }),
        findings_(analyses, hooks, keep_going, [this] { stop_executor(); }) {
    traces_.limit(budget.memory_bytes / kTraceShare);
    search_.limit_memory(budget.memory_bytes - budget.memory_bytes / kTraceShare);
    search_.stop_when([this] { return interrupted_() || late(); });
  }
  ~ExplorationLoop() { search_.stop_when(nullptr); }
  ExplorationLoop(const ExplorationLoop&) = delete;
  ExplorationLoop& operator=(const ExplorationLoop&) = delete;

  bool load(const std::string& state) {
    StateReader in(state);
    Exploration& r = result_;
    load_counts(in, r);
    redundant_ = in.get<uint64_t>();
    seconds_before_ = in.get<double>();
    traces_unknown_ = in.get<bool>();
    points_missing_ = in.get<bool>();
    traces_.load(in);
    findings_.load(in);
    for (auto n = in.get<uint64_t>(); n > 0 && in.good(); --n) in_flight_.push_back(get_plan(in));
    for (auto n = in.get<uint64_t>(); n > 0 && in.good(); --n) {
      UnitResult result = get_result(in);
      results_.emplace(result.number, std::move(result));
    }
    search_.load(in);
    executions_loaded_ = executions_at_unit_ = r.executions;
    submitted_ = r.executions + in_flight_.size();
    return in.good() && in.at_end();
  }

  Exploration explore() {
    if (submitted_ == 0) save();
    in_flight_.for_each([this](const Plan& plan) { executor_.submit(plan); });
    while (!ending_) {
      if (division_) count_units(false);
      if (ending_) break;
      if (may_explore_units()) explore_units();
      if (ending_) break;
      fill();
      if (in_flight_.empty()) {
        if (points_missing_ && !used_up()) ending_ = Ending::NewPoints;
        break;
      }
      const std::optional<TraceView> trace = executor_.next([this] { return interrupted_() || late(); });
      if (!trace) {
        ending_ = interrupted_() || !late() ? Ending::Interrupted : Ending::TimeBudget;
        break;
      }
      in_flight_.swap_out(plan_);
      now_ = Clock::now();
      look_at(*trace);
      check_limits();
    }
    if (!in_flight_.empty()) executor_.cancel();
    if (hooks_.progress) report_progress(Clock::now());
    conclude();
    if (!result_.claim.finished && (result_.bugs.empty() || goes_on_after_bugs())) save();
    return std::move(result_);
  }

 private:
  void look_at(TraceView trace) {
    ExecutionSummary execution = summary_of(trace);
    const bool first = result_.executions == 0;
    only_execution_ = first && has_no_choices(trace);
    execution.counts = budget_.count_traces && is_whole(trace.outcome()) && search_.counts(trace);
    search_.learn(trace);
    meter_.measure(search_, trace, execution);
    if (first)
      for (const Step& step : trace.steps()) result_.blocking_operations += is_acquire(step.kind);
    take(execution, &trace);
    search_.recycle(plan_);
    if (only_execution_ && !ending_) ending_ = Ending::Finished;
    const bool ask = result_.executions % kTrustFor == 0 || in_flight_.empty();
    if (ask && !ending_ && hooks_.distrusted && hooks_.distrusted()) ending_ = Ending::Distrusted;
  }

  // Counts an execution that was learned here or by the worker that explored its unit. `trace`: set if it may fail or
  // race.
  void take(const ExecutionSummary& execution, const TraceView* trace) {
    count(execution, result_);
    if (budget_.count_traces && execution.outcome == Outcome::Redundant) ++redundant_;
    traces_.expect(execution.fingerprint);
    traces_unknown_ |= execution.unknown_trace != 0;
    result_.preemptions_max = std::max(result_.preemptions_max, execution.preemptions);
    count_preemptions_of(execution.preemptions, result_.by_preemptions);
    if (trace) {
      points_missing_ |= hooks_.promote && trace->header().races > 0 && hooks_.promote(*trace);
      if (hooks_.ended && trace->outcome() == Outcome::Ok) hooks_.ended(*trace, plan_, result_.executions);
      check(*trace);
    }
    if (points_missing_ && !ending_) use_new_points();
    if (!execution.counts) return;
    traces_.insert(execution.fingerprint);
    if (hooks_.executed)
      hooks_.executed(execution.fingerprint, execution.preemptions, result_.executions, seconds_until(now_));
  }

  // --- units: unit_exploration.cpp ---
  bool may_explore_units();
  void explore_units();
  void hand_out_units();
  bool receive_unit();
  void end_early();
  void count_units(bool in_any_order);
  void count_unit(uint64_t number);
  void drop_crew();

  void check(TraceView trace) {
    if (trace.outcome() == Outcome::Uncontrolled) {
      result_.uncontrolled = trace.message();
      if (trace.header().detail)
        if (const auto stacks = trace.all_stacks(); !stacks.empty())
          result_.uncontrolled_stack.assign(stacks.back().begin(), stacks.back().end());
      ending_ = Ending::Uncontrolled;
      return;
    }
    if (!findings_.check(trace, plan_, result_.executions, [&] { return search_.counts(trace); }))
      ending_ = Ending::FirstBug;
    else if (executor_idle_)
      in_flight_.for_each([this](const Plan& plan) { executor_.submit(plan); });
    executor_idle_ = false;
  }

  // A search that has to start over loses its executions. It starts over only after 1, 2, 4... executions, because more
  // racy accesses may follow. It claims nothing meanwhile.
  void use_new_points() {
    if (draws_ && hooks_.add_points) {
      executor_.cancel();
      hooks_.add_points();
      in_flight_.for_each([this](const Plan& plan) { executor_.submit(plan); });
      traces_ = {};  // earlier traces have other steps
      traces_.limit(budget_.memory_bytes / kTraceShare);
      redundant_ = 0;
      points_missing_ = false;
      points_added_ = true;
    } else if (result_.executions >= uint64_t{1} << std::min(hooks_.starts_before, kMostDoubled)) {
      ending_ = Ending::NewPoints;
    }
  }

  // Confirming needs an idle executor, so plans in flight are cancelled. They are submitted again afterwards; the
  // search is not involved.
  void stop_executor() {
    executor_.cancel();
    executor_idle_ = true;
  }

  void save() {
    if (!hooks_.save) return;
    const Clock::time_point begin = Clock::now();
    hooks_.save([&](StateWriter& out) {
      save_counts(out, result_);
      out.put(redundant_);
      out.put(std::chrono::duration<double>(begin - start_).count() + seconds_before_);
      out.put(traces_unknown_);
      out.put(points_missing_);
      traces_.save(out);
      findings_.save(out, noticed_.value_or(findings_.warnings.size()));
      out.put<uint64_t>(in_flight_.size());
      in_flight_.for_each([&out](const Plan& plan) { put_plan(out, plan); });
      out.put<uint64_t>(results_.size());
      for (const auto& [number, result] : results_) put_result(out, result);
      search_.save(out);
    });
    // The interval grows with the duration of a save, so that saving costs at most a small fraction of the time.
    saved_ = Clock::now();
    save_every_ = std::max(std::min(2 * save_every_, kSaveEvery), 40 * (saved_ - begin));
    if (memory_ >= kSmallState) seconds_per_byte_ = std::chrono::duration<double>(saved_ - begin).count() / memory_;
  }

  // The last save is part of the time, whatever the size of the state.
  void reserve_time_to_save() {
    if (!hooks_.save || !budget_.time || memory_ < kSmallState) return;
    const std::chrono::duration<double> expected(seconds_per_byte_ * static_cast<double>(memory_));
    reserved_ = std::min(std::chrono::duration_cast<Clock::duration>(expected), Clock::duration(*budget_.time) / 2);
  }

  void fill() {
    while (in_flight_.size() < window_ && !used_up()) {
      std::optional<Plan> plan = search_.next();
      if (!plan) return;
      plan->id = ++submitted_;
      executor_.submit(*plan);
      in_flight_.swap_in(*plan);
    }
  }

  double seconds_until(Clock::time_point time) const {
    return std::chrono::duration<double>(time - start_).count() + seconds_before_;
  }

  void report_bound() {
    const std::optional<uint32_t> bound = search_.claim().preemptions_completed;
    if (!bound || bound == bound_) return;
    bound_ = bound;
    hooks_.bound_finished(*bound, result_.executions - executions_at_bound_);
    executions_at_bound_ = result_.executions;
  }

  void check_limits() {
    if (ending_) return;
    if (hooks_.bound_finished && !draws_) report_bound();
    const uint64_t memory = search_.memory_bytes() + traces_.memory_bytes();
    result_.peak_memory_bytes = std::max(result_.peak_memory_bytes, memory);
    memory_ = memory;
    reserve_time_to_save();
    const Clock::time_point now = now_;
    if (hooks_.has_enough && hooks_.has_enough(result_.executions)) {
      ending_ = Ending::FirstBug;
    } else if (interrupted_()) {
      ending_ = Ending::Interrupted;
    } else if (late(now) && !finished()) {
      ending_ = Ending::TimeBudget;
    } else if (memory > budget_.memory_bytes && !finished() && !make_room()) {
      ending_ = Ending::MemoryBudget;
    } else if (now - saved_ >= save_every_) {
      saved_ = now;
      save();
    } else if (hooks_.progress && now - reported_ >= kProgressEvery) {
      reported_ = now;
      report_progress(now);
    }
  }

  // The set of traces makes room by itself. The search gets half of the rest, so that spilling is rare.
  bool make_room() {
    const uint64_t fixed = traces_.memory_bytes();
    return fixed < budget_.memory_bytes && search_.spill((budget_.memory_bytes - fixed) / 2);
  }

  bool used_up() const { return budget_.executions && submitted_ >= *budget_.executions; }
  bool late(Clock::time_point now) const { return budget_.time && now - start_ + reserved_ >= *budget_.time; }
  bool late() const { return late(Clock::now()); }

  // The run ended because of an interrupt or a lost program, not because of a bug.
  bool goes_on_after_bugs() const { return keep_going_ && (result_.interrupted() || !result_.uncontrolled.empty()); }

  bool finished() const { return in_flight_.empty() && !points_missing_ && search_.claim().finished; }

  uint64_t estimated_total(const SearchStatus& status) const {  // at least the executions so far; 0: unknown
    return status.estimated_total == 0 ? 0 : std::max(status.estimated_total, result_.executions);
  }

  std::optional<double> seconds_left(const Progress& p) const;
  void report_progress(Clock::time_point now) const;
  void conclude();
  void conclude_claim();
  void claim_everything();
  bool finished_meanwhile() const;
  Ending why_nothing_is_left() const;

  Search& search_;
  Executor& executor_;
  const Budget& budget_;
  const bool keep_going_;
  const bool draws_ = search_.traits().draws;
  const ExplorerHooks& hooks_;
  const std::function<bool()> interrupted_;
  const size_t window_ = std::max<size_t>(executor_.window(), 1);

  const Clock::time_point start_ = Clock::now();
  Clock::time_point now_ = start_;  // time of the last trace
  Clock::time_point reported_ = start_, saved_ = start_;
  Clock::duration save_every_ = kFirstSave / 2;
  Clock::duration reserved_{};  // for the last save
  double seconds_per_byte_ = kSecondsPerByte;
  uint64_t memory_ = 0;        // after the last execution
  double seconds_before_ = 0;  // of the exploration that was resumed
  PlanQueue in_flight_;
  Plan plan_;  // of the execution being learned
  uint64_t submitted_ = 0;
  uint64_t executions_loaded_ = 0;  // of the exploration that was resumed
  // Accesses that have to become scheduling points were found since the search started.
  bool points_missing_ = false;
  bool only_execution_ = false;    // the first execution is the only one
  bool executor_idle_ = false;     // although there are plans in flight
  std::optional<uint32_t> bound_;  // the bound reported last
  uint64_t executions_at_bound_ = 0;
  std::optional<Ending> ending_;
  ExecutionMeter meter_;
  TraceSet traces_;
  uint64_t redundant_ = 0;
  bool traces_unknown_ = false;    // an execution used too many objects for a fingerprint
  std::optional<size_t> noticed_;  // number of warnings before those that the conclusion adds
  Findings findings_;
  Exploration result_;
  Division* const division_ = search_.division();
  std::unique_ptr<Crew> crew_;                // once there was enough to do for it
  bool crew_failed_ = false;                  // then everything is explored here
  Clock::time_point unit_began_ = start_;     // the one that is explored here
  uint64_t executions_at_unit_ = 0;           // before it
  bool points_added_ = false;                 // in the middle of a unit
  std::map<uint64_t, UnitResult> results_{};  // of units that are not counted yet
};

}  // namespace lockstep
