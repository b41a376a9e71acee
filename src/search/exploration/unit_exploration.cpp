// Units of a search that a crew explores side by side: handed out in any order, counted in theirs.
#include <chrono>

#include "search/exploration/exploration_loop.hpp"

namespace lockstep {
namespace {

constexpr size_t kSupply = 4;         // units waiting: with fewer the largest is handed out, which leaves most others
constexpr size_t kMostResults = 256;  // results that wait for the one of an earlier unit

}  // namespace

// For short executions only: where they are long the search is no bottleneck, and single plans spread them better.
bool ExplorationLoop::may_explore_units() {
  if (!division_ || !hooks_.start_crew || hooks_.ended || crew_failed_ || result_.executions == 0) return false;
  if (!in_flight_.empty() || !division_->at_border() || (points_missing_ && !draws_)) return false;
  if (crew_) return true;
  const Clock::time_point now = Clock::now();
  const auto passed = now - std::exchange(unit_began_, now);
  const uint64_t executions = result_.executions - std::exchange(executions_at_unit_, result_.executions);
  if (executions == 0 || now - start_ < hooks_.crew_after || passed / executions > hooks_.longest_for_crew)
    return false;
  return !budget_.executions || *budget_.executions >= result_.executions + 2 * kUnitExecutions;
}

void ExplorationLoop::explore_units() {
  if (!crew_ && !(crew_ = hooks_.start_crew())) {
    crew_failed_ = true;
    return;
  }
  executor_.cancel();
  while (!ending_ && division_->at_border()) {
    if (!crew_ && !(crew_ = hooks_.start_crew())) break;  // it was dropped because there are new points
    hand_out_units();
    if (crew_->under_way() == 0) break;
    if (!receive_unit()) break;
    hand_out_units();  // before counting, so that nobody waits for that
    count_units(false);
    now_ = Clock::now();
    check_limits();
  }
  if (ending_ == Ending::Interrupted || ending_ == Ending::TimeBudget) end_early();
  if (!crew_ || crew_->failed() || ending_) drop_crew();
}

// A budget of executions is used up exactly: what may exceed it is run here, like a unit that ends its workers.
void ExplorationLoop::hand_out_units() {
  UnitList& units = division_->units();
  while (crew_->has_room() && !units.first_is_given_up()) {
    const uint64_t uncounted = results_.size() + crew_->under_way();
    if (budget_.executions && result_.executions + (uncounted + 1) * kUnitExecutions > *budget_.executions) return;
    if (results_.size() >= kMostResults && !units.first_waits()) return;
    const std::optional<Unit> unit = division_->units().hand_out(!draws_ && !units.has_waiting(kSupply));
    if (!unit) return;
    crew_->submit(*unit);
  }
}

// False: there is nobody to wait for.
bool ExplorationLoop::receive_unit() {
  std::optional<UnitResult> result = crew_->next([this] { return interrupted_() || late(); });
  if (!result) {
    if (!crew_->failed()) ending_ = interrupted_() || !late() ? Ending::Interrupted : Ending::TimeBudget;
    return false;
  }
  UnitList& units = division_->units();
  const uint64_t number = result->number;
  if (result->given_up) {
    units.give_up(number);
    return true;
  }
  if (!crew_->accept(*result, units.is_first(number))) {
    units.put_back(number, true);
    return true;
  }
  units.returned(number, std::move(result->rest));
  result->rest.clear();
  results_.emplace(number, std::move(*result));
  return true;
}

// Nothing that was done is thrown away; the order is of no importance any more.
void ExplorationLoop::end_early() {
  crew_->hurry();
  const Clock::time_point patience = Clock::now() + std::chrono::seconds(2);
  const std::optional<Ending> ending = std::exchange(ending_, std::nullopt);
  while (crew_->under_way() > 0 && !crew_->failed()) {
    std::optional<UnitResult> result = crew_->next([&] { return Clock::now() > patience; });
    if (!result) break;
    if (result->given_up || !crew_->accept(*result, false)) continue;
    division_->units().returned(result->number, std::move(result->rest));
    result->rest.clear();
    results_.emplace(result->number, std::move(*result));
  }
  count_units(true);
  if (!ending_) ending_ = ending;
}

void ExplorationLoop::drop_crew() {
  crew_failed_ |= crew_ && crew_->failed();
  crew_.reset();
  division_->units().put_back_out();
}

void ExplorationLoop::count_units(bool in_any_order) {
  while (!ending_ && !results_.empty() && division_->at_border()) {
    const std::optional<uint64_t> number = division_->units().next_returned(in_any_order);
    if (!number) return;
    count_unit(*number);
  }
}

// The unit stays open until all of it is counted: a bug in the middle leaves the rest of it unknown.
void ExplorationLoop::count_unit(uint64_t number) {
  UnitList& units = division_->units();
  const UnitResult result = std::move(results_.extract(number).mapped());
  ExecutionReader reader(result.executions);
  StateReader totals(result.totals);
  uint64_t done = 0;
  points_added_ = false;
  for (const ExecutionSummary& execution : reader.executions()) {
    submitted_ = result_.executions + 1;
    std::optional<Trace> trace;
    if (reader.has_trace(done)) trace.emplace(reader.trace(plan_));
    const std::optional<TraceView> view = trace ? std::optional<TraceView>(*trace) : std::nullopt;
    ++done;
    take(execution, view ? &*view : nullptr);
    if (!ending_ && hooks_.has_enough && hooks_.has_enough(result_.executions)) ending_ = Ending::FirstBug;
    if (ending_ || points_added_) break;
  }
  if (ending_ && done < reader.executions().size()) return;
  const std::string unit = units.bytes_of(number);
  if (!division_->count(totals, done)) {
    crew_.reset();
    results_.clear();
    return;
  }
  units.remove(number);
  if (points_added_) {
    // Everything from here on is drawn again, with the new points.
    crew_.reset();
    results_.clear();
    units.put_back_all();
    if (done < reader.executions().size())
      units.put_first(0, {{.size = reader.executions().size() - done, .bytes = division_->after(unit, done)}});
    return;
  }
  if (!ending_ && hooks_.distrusted && hooks_.distrusted()) ending_ = Ending::Distrusted;
}

}  // namespace lockstep
