#include "search/exploration/unit_result.hpp"

#include <algorithm>
#include <utility>

#include "model/plan_queue.hpp"
#include "search/base/failure_keys.hpp"
#include "search/base/saved_trace.hpp"
#include "search/exploration/promotion.hpp"

namespace lockstep {

void put_result(StateWriter& out, const UnitResult& result) {
  out.put(result.number);
  out.put_text(result.totals);
  out.put<uint64_t>(result.rest.size());
  for (const UnitPart& part : result.rest) {
    out.put(part.rank);
    out.put(part.size);
    out.put_text(part.bytes);
  }
  out.put_text(result.executions);
  out.put_text(result.target);
}

UnitResult get_result(StateReader& in) {
  UnitResult result;
  result.number = in.get<uint64_t>();
  result.totals = in.get_text();
  for (auto parts = in.get<uint64_t>(); parts > 0 && in.good(); --parts) {
    UnitPart part{.rank = in.get<uint64_t>(), .size = in.get<uint64_t>()};
    part.bytes = in.get_text();
    result.rest.push_back(std::move(part));
  }
  result.executions = in.get_text();
  result.target = in.get_text();
  return result;
}

void ExecutionMeter::measure(const Search& search, TraceView trace, ExecutionSummary& execution) {
  std::optional<Measures> measures = search.measures();
  const TraceHeader& header = trace.header();
  if (trace.is_brief()) {
    measures = {header.fingerprint, header.preemptions};
    execution.unknown_trace = header.fingerprint == 0;
  } else if (!measures) {
    meter_.read(trace);
    measures = {meter_.fingerprint(), meter_.preemptions()};
  }
  execution.fingerprint = measures->fingerprint;
  execution.preemptions = measures->preemptions;
}

ExecutionReader::ExecutionReader(const std::string& bytes) : in_(bytes), executions_(in_.get_all<ExecutionSummary>()) {
  find_next();
}

void ExecutionReader::find_next() {
  next_.reset();
  if (in_.good() && !in_.at_end()) next_ = in_.get<uint64_t>();
}

Trace ExecutionReader::trace(Plan& plan) {
  plan = get_plan(in_);
  Trace trace = get_trace(in_);
  find_next();
  return trace;
}

namespace {

class UnitExploration {
 public:
  UnitExploration(Search& search, Executor& executor, const UnitSettings& settings)
      : search_(search), executor_(executor), settings_(settings), promotion_(settings.looks_for_points) {
    promotion_.go_on_with(settings.points, {});
  }

  bool run(const std::function<bool()>& hurry) {
    const size_t window = std::max<size_t>(executor_.window(), 1);
    for (bool ends = false;;) {
      while (!ends && in_flight_.size() < window) {
        std::optional<Plan> plan = search_.next();
        if (!plan) break;
        plan->id = ++submitted_;
        executor_.submit(*plan);
        in_flight_.swap_in(*plan);
      }
      if (in_flight_.empty()) return true;
      const std::optional<TraceView> trace = executor_.next([] { return false; });
      if (!trace) return false;
      in_flight_.swap_out(plan_);
      ends |= trace->outcome() == Outcome::Uncontrolled || hurry();
      look_at(*trace);
    }
  }

  std::string executions() {
    StateWriter out;
    out.put_all(executions_);
    out.put_bytes(traces_.bytes().data(), traces_.bytes().size());
    return std::move(out.bytes());
  }

 private:
  void look_at(TraceView trace) {
    ExecutionSummary execution = summary_of(trace);
    execution.counts = settings_.count_traces && is_whole(trace.outcome()) && search_.counts(trace);
    search_.learn(trace);
    meter_.measure(search_, trace, execution);
    const bool races = trace.header().races > 0 && promotion_.grow(trace);
    if (fails(trace) || races || trace.outcome() == Outcome::Uncontrolled) {
      traces_.put<uint64_t>(executions_.size());
      put_plan(traces_, plan_);
      put_trace(traces_, trace);
    }
    executions_.push_back(execution);
    search_.recycle(plan_);
  }

  // In a way that is worth a replay.
  bool fails(TraceView trace) {
    bool any = false;
    for (Analysis* analysis : settings_.analyses)
      for (const Finding& finding : analysis->check_all(trace)) {
        const FailureKey key = key_of(finding, trace);
        if (!keys_.worth_confirming(key)) continue;
        keys_.not_repeated(key);
        any = true;
      }
    return any;
  }

  Search& search_;
  Executor& executor_;
  const UnitSettings& settings_;
  Promotion promotion_;
  FailureKeys keys_;
  ExecutionMeter meter_;
  PlanQueue in_flight_;
  Plan plan_;
  uint64_t submitted_ = 0;
  std::vector<ExecutionSummary> executions_;
  StateWriter traces_;
};

}  // namespace

std::optional<UnitResult> explore_unit(const Unit& unit, Search& search, Executor& executor,
                                       const UnitSettings& settings, const std::function<bool()>& hurry) {
  Division& division = *search.division();
  division.begin(unit);
  UnitExploration exploration(search, executor, settings);
  if (!exploration.run(hurry)) return std::nullopt;
  UnitResult result{.number = unit.number, .executions = exploration.executions()};
  StateWriter totals;
  result.rest = division.end(totals);
  result.totals = std::move(totals.bytes());
  return result;
}

}  // namespace lockstep
