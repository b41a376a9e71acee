// Replays schedules with stacks and at every step.
#include "campaign/replayer.hpp"

#include <filesystem>

#include "analysis/output.hpp"
#include "analysis/race_analysis.hpp"
#include "campaign/told_records.hpp"
#include "model/schedule.hpp"
#include "report/cause_text.hpp"
#include "report/complete_finding.hpp"
#include "report/test_failure.hpp"
#include "search/minimize/simplify.hpp"
#include "target/inspector.hpp"
#include "target/symbols.hpp"
#include "target/uninstrumented_sync.hpp"

namespace lockstep {

Replayer::Replayer(Target& target, bool races_are_bugs, Suppressions suppressions,
                   std::optional<std::string> expected_output)
    : target_(target), suppressions_(std::move(suppressions)), expected_output_(std::move(expected_output)) {
  for (const AnalysisInfo& info : lockstep::analyses()) {
    analyses_.push_back(info.make());
    if (auto* output = dynamic_cast<OutputAnalysis*>(analyses_.back().get())) output->expected = expected_output_;
    auto* races = dynamic_cast<RaceAnalysis*>(analyses_.back().get());
    if (!races) continue;
    races->races_count = races_are_bugs;
    races->ignored = [this](const DataRace& race) { return suppressions_.covers(race, symbols()); };
    races->doubt = [this](const DataRace&) { return invisible_code(); };
  }
}

std::vector<Analysis*> Replayer::analyses() const {
  std::vector<Analysis*> list;
  for (const auto& analysis : analyses_) list.push_back(analysis.get());
  return list;
}

const std::string& Replayer::invisible_code() {
  if (!invisible_code_) invisible_code_ = invisible_synchronisation(target_.modules());
  return *invisible_code_;
}

Symbols& Replayer::symbols() {
  if (!symbols_) {
    std::error_code ignored;
    symbols_ = open_symbols({target_.modules(), std::filesystem::current_path(ignored).string(),
                             [&t = target_](uint64_t address) { return t.given_name(address); }});
  }
  return *symbols_;
}

// Which records to replay with stacks; empty: all, or the execution is gone. A long one is first repeated without
// stacks, which takes a fraction of the time, to see what there is to tell.
std::vector<RecordRange> Replayer::records_to_tell(const Finding& finding, bool same_kind) {
  if (finding.trace.empty() || finding.trace.view().header().decisions <= kToldInFull) return {};
  Plan plan = finding.plan;
  plan.whole = true;
  target_.cancel();
  target_.submit(plan);
  const std::optional<TraceView> next = target_.next(nullptr);
  if (!next || next->is_brief()) return {};
  const Trace trace(*next);
  target_.cancel();
  const std::optional<Finding> best = best_match(finding, same_kind, trace, analyses(), symbols());
  return told_records(trace, best.value_or(finding));
}

std::optional<Finding> Replayer::reproduce(Finding finding, bool same_kind, Trace* seen) {
  Plan plan = finding.plan;
  plan.detail = true;
  plan.described = records_to_tell(finding, same_kind);
  Target::Detailed replay = target_.run_detailed(plan);
  if (seen != nullptr) *seen = replay.trace;
  if (replay.trace.empty()) return std::nullopt;
  const std::optional<Finding> best = best_match(finding, same_kind, replay.trace, analyses(), symbols());
  if (!best) return std::nullopt;
  finding.kind = best->kind;
  finding.message = best->message;
  finding.take_evidence(*best);
  const TraceView trace = replay.trace;
  if (is_random(plan.policy) && trace.outcome() != Outcome::WorkerDied && !trace.is_brief())
    finding.write_down(plan_of(trace));
  finding = complete_finding(std::move(finding), std::move(replay.trace), std::move(replay.output), symbols());
  if (expected_output_ && is_unexpected_output(finding, finding.trace))
    finding.message = "unexpected output: " + output_difference(finding.output, *expected_output_);
  explain_by_test(finding);
  return finding;
}

void Replayer::observe(Finding& finding, const std::function<bool()>& stop) {
  constexpr size_t kMostSteps = 20'000;  // each step is a stop
  if (finding.trace.empty() || finding.trace.view().steps().size() > kMostSteps) return;
  const auto blocks = finding.trace.view().allocations();
  const auto observer = make_observer(target_.modules(), {blocks.begin(), blocks.end()}, stop);
  const Target::Detailed replay = target_.run_detailed(finding.plan, observer.get());
  if (replay.trace.empty()) return;
  const TraceView again = replay.trace, told = finding.trace;
  if (again.steps().size() != told.steps().size() || first_difference(again, told)) return;
  finding.seen = observer->take();
  for (auto& [object, names] : finding.seen.objects)  // names given by lockstep::name() are better
    if (const std::string given = target_.given_name(static_cast<uint64_t>(object)); !given.empty())
      for (ObservedObject& name : names) name.name = given;
  retell_message(finding, symbols());
  explain_cause(finding, symbols());
}

void Replayer::explain(Finding& finding, const ShrinkBudget& budget) {
  const auto confirm = [&](Finding other) { return reproduce(std::move(other), true); };
  if (!budget.must_stop()) finding.cause = cause_of(target_, analyses(), finding, confirm, budget);
  explain_cause(finding, symbols());
}

void Replayer::detail_passing(Finding& finding) {
  if (finding.cause.passing.empty()) return;
  Plan plan = plan_of(finding.cause.passing);
  plan.max_steps = finding.plan.max_steps;
  plan.tracked = finding.plan.tracked;
  plan.detail = true;
  Target::Detailed replay = target_.run_detailed(plan);
  if (!replay.trace.empty() && !first_difference(finding.cause.passing, replay.trace))
    finding.cause.passing = std::move(replay.trace);
}

Finding Replayer::explained(Finding finding, ShrinkBudget budget) {
  budget.executions = 300;
  budget.time = std::chrono::milliseconds(1000);
  explain(finding, budget);
  if (!budget.must_stop()) observe(finding, budget.stop);
  return finding;
}

Finding Replayer::complete(Finding finding) {
  Trace trace = std::move(finding.trace);
  return complete_finding(std::move(finding), std::move(trace), {}, symbols());
}

std::optional<Finding> Replayer::find_with_points(const Finding& finding, const std::vector<TrackedRange>& racy,
                                                  const ShrinkBudget& budget) {
  const auto confirm = [&](Finding other) { return reproduce(std::move(other), true); };
  return lockstep::find_with_points(target_, analyses(), finding, confirm, racy, budget);
}

Finding Replayer::simplify(const Finding& finding, std::optional<uint32_t> proved, const ShrinkBudget& budget) {
  const auto confirm = [&](Finding other) { return reproduce(std::move(other), true); };
  return lockstep::simplify(target_, analyses(), finding, confirm, proved, budget);
}

}  // namespace lockstep
