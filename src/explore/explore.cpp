// lockstep::explore(): the search stays in the test, the body runs in forks of it.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "analysis/races.hpp"
#include "analysis/registry.hpp"
#include "report/confirm.hpp"
#include "report/story.hpp"
#include "report/suppressions.hpp"
#include "search/claims.hpp"
#include "search/explorer.hpp"
#include "search/promotion.hpp"
#include "search/registry.hpp"
#include "search/simplify.hpp"
#include "target/invisible_sync.hpp"
#include "target/symbols.hpp"
#include "target/target.hpp"

#include <lockstep/lockstep.hpp>  // last: its Result is another one

extern "C" {
__attribute__((weak)) void lockstep_rt_serve(int channel_fd, int table_fd, void (*body)(void*), void* argument);
// testing::Test::HasFatalFailure() and HasNonfatalFailure(), if the test uses GoogleTest.
__attribute__((weak)) bool gtest_fatal() __asm__("_ZN7testing4Test15HasFatalFailureEv");
__attribute__((weak)) bool gtest_nonfatal() __asm__("_ZN7testing4Test18HasNonfatalFailureEv");
}

namespace {

using lockstep::Analysis;
using lockstep::Exploration;
using lockstep::Finding;
using lockstep::Isolation;
using lockstep::Target;

bool expectation_failed() { return (gtest_fatal && gtest_fatal()) || (gtest_nonfatal && gtest_nonfatal()); }

void run_body(void* argument) {
  const bool failed_before = expectation_failed();
  (*static_cast<std::function<void()>*>(argument))();
  if (!failed_before && expectation_failed())
    lockstep_rt_require_failed("an expectation of the test framework", "the body", 0);
}

std::optional<Isolation> isolation_of(const std::string& name) {
  if (name == "auto") return Isolation::Auto;
  if (name == "loop") return Isolation::Loop;
  if (name == "reset") return Isolation::Reset;
  if (name == "fork") return Isolation::Fork;
  return std::nullopt;
}

lockstep::v1::Result failed(std::string why) {
  lockstep::v1::Result result;
  result.error = std::move(why);
  return result;
}

// Confirms findings and tells their stories as they come.
class Reporter {
 public:
  Reporter(Target& target, const std::vector<Analysis*>& analyses) : target_(target), analyses_(analyses) {}

  std::optional<Finding> confirm(Finding finding) {
    Target::Detailed again = target_.run_detailed(finding.plan);
    if (again.trace.empty()) return std::nullopt;
    const auto said = lockstep::best_match(finding, true, again.trace, analyses_, symbols());
    if (!said) return std::nullopt;
    finding.take_evidence(*said);
    return lockstep::complete_finding(std::move(finding), std::move(again.trace), std::move(again.output), symbols());
  }

  // Data races: those of the C++ library are left out, and none is certain where synchronisation is not seen.
  bool left_out(const lockstep::DataRace& race) { return suppressions_.covers(race, symbols()); }
  void judge_races(lockstep::RaceAnalysis& races, bool count) {
    races.races_count = count;
    races.ignored = [this](const lockstep::DataRace& race) { return left_out(race); };
    races.doubt = [this](const lockstep::DataRace&) {
      if (!unseen_) unseen_ = lockstep::invisible_synchronisation(target_.modules());
      return *unseen_;
    };
  }

  Finding simplest(const Finding& finding, std::optional<uint32_t> proved) {
    const auto again = [this](Finding other) { return confirm(std::move(other)); };
    return lockstep::simplify(target_, analyses_, finding, again, proved);
  }

  std::string story(const Finding& finding) {
    lockstep::StoryOptions options;
    options.terminal.width = 100;
    return lockstep::tell_story(finding, symbols(), options);
  }

 private:
  lockstep::Symbols& symbols() {
    if (!symbols_) symbols_ = lockstep::open_symbols({target_.modules(), std::filesystem::current_path().string(),
                             [&t = target_](uint64_t address) { return t.given_name(address); }});
    return *symbols_;
  }

  Target& target_;
  const std::vector<Analysis*>& analyses_;
  std::unique_ptr<lockstep::Symbols> symbols_;
  lockstep::Suppressions suppressions_;
  std::optional<std::string> unseen_;
};

}  // namespace

lockstep::v1::Result lockstep::v1::explore(std::function<void()> body, Options options) {
  if (controlled()) {
    body();  // the program as a whole is being explored: once is enough
    lockstep::v1::Result result;
    result.executions = 1;
    return result;
  }
  if (!lockstep_rt_serve) return failed("the test is not linked with liblockstep-rt (build it with lockstep-cxx or lockstep::lockstep)");

  StrategyOptions strategy_options;
  strategy_options.spec = options.strategy;
  strategy_options.preemptions = options.preemptions;
  strategy_options.seed = options.seed.value_or(0);
  strategy_options.max_steps = options.steps;
  auto strategy = make_strategy(strategy_options);
  if (!strategy) return failed(strategy.error().message);
  const auto isolation = isolation_of(options.isolation);
  if (!isolation) return failed("there is no isolation '" + options.isolation + "': auto, loop, reset or fork");

  TargetOptions target_options;
  target_options.isolation = *isolation;
  target_options.max_steps = options.steps;
  if (options.spin_rounds) target_options.spin_rounds = *options.spin_rounds;
  target_options.body = [&body](int channel_fd, int table_fd) { lockstep_rt_serve(channel_fd, table_fd, run_body, &body); };
  auto target = Target::start(std::move(target_options));
  if (!target) return failed(target.error().message);

  std::vector<std::unique_ptr<Analysis>> owned;
  std::vector<Analysis*> checks;
  for (const AnalysisInfo& info : lockstep::analyses()) {
    owned.push_back(info.make());
    checks.push_back(owned.back().get());
  }
  Reporter reporter(**target, checks);
  for (Analysis* analysis : checks)
    if (auto* races = dynamic_cast<RaceAnalysis*>(analysis)) reporter.judge_races(*races, options.races);
  Promotion promotion((*target)->info().instrumented);
  lockstep::v1::Result result;
  ExplorerHooks hooks;
  hooks.confirm = [&](Finding finding) -> std::optional<Finding> {
    const auto confirmed = reporter.confirm(std::move(finding));
    if (!confirmed) return std::nullopt;
    return reporter.simplest(*confirmed, (*strategy)->preemptions_completed());
  };
  hooks.found = [&](const Finding& finding) {
    result.bugs.push_back({name_of(finding.kind), finding.message, reporter.story(finding), ""});
  };
  hooks.promote = [&](TraceView trace) {
    return promotion.grow(trace, [&](const DataRace& race) { return reporter.left_out(race); });
  };
  hooks.distrusted = [&] { return (*target)->checkpoints_failed(); };
  Budget budget;
  budget.executions = options.executions;
  budget.time = options.time;
  if (!(*strategy)->exhaustive() && !budget.executions && !budget.time) budget.executions = 100'000;
  if (options.strategy == "auto" && !budget.executions && !budget.time) budget.time = std::chrono::seconds(60);
  Exploration found = Explorer(**strategy, **target, checks, budget, options.keep_going, hooks).run();
  while (found.restart) {
    for (const Finding& bug : found.bugs) hooks.known.insert(bug.fingerprint);
    (*target)->promote(promotion.start_over());
    strategy = make_strategy(strategy_options);
    Exploration round = Explorer(**strategy, **target, checks, left_of(budget, found), options.keep_going, hooks).run();
    found = together(std::move(found), std::move(round));
  }
  if ((*target)->info().instrumented && promotion.complete()) found.guarantee = without_proviso(std::move(found.guarantee));
  result.executions = found.executions;
  result.complete = found.complete;
  result.guarantee = found.guarantee;
  result.error = found.uncontrolled;
  return result;
}
