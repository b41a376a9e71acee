// The command `lockstep run`: explores a program or its test cases.
#include <fmt/format.h>
#include <unistd.h>
#include <filesystem>
#include <map>

#include "campaign/campaign.hpp"
#include "campaign/focus.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/paths.hpp"
#include "cli/run_tests.hpp"
#include "report/bug_story.hpp"
#include "report/progress.hpp"
#include "report/run_log.hpp"
#include "report/schedule_file.hpp"
#include "report/story.hpp"
#include "report/summary.hpp"
#include "report/suppressions.hpp"
#include "report/test_summary.hpp"

namespace lockstep {
namespace {

// Shows a campaign on the terminal.
class Screen final : public CampaignListener {
 public:
  // `named`: a schedule starts the program only if the command line names the program.
  Screen(const Options& options, TestRun* test, bool named)
      : options_(options),
        test_(test),
        named_program_(named ? shell_words(options.command) : ""),
        console_(options),
        progress_(console_.human(), console_.terminal(), shows_progress()),
        setting_{std::filesystem::path(options.command[0]).filename().string()} {}

  void watch(Campaign& campaign) {
    campaign_ = &campaign;
    if (options_.log) options_.log->start(options_.test);
    setting_.points = campaign.points();
    if (options_.seed_drawn) setting_.seed = options_.strategy.seed;
  }

  void warn(const std::string& text) override {
    progress_.clear();
    console_.warn(text);
  }

  void found(const Finding& bug) override {
    if (options_.log) options_.log->found(options_.test, bug);
    progress_.clear();
    introduce();
    if (bug.schedule.empty() && is_warning(bug.kind)) {
      console_.print(fmt::format("\n{}: {}\n\n", name_of(bug.kind), bug.message));
      return;
    }
    if (test_) console_.print(fmt::format("\n{}\n", console_.terminal().paint("1", test_->name)));
    console_.print("\n" + tell_story(bug, campaign_->replayer().symbols(),
                                     {.terminal = console_.terminal(), .program = named_program_}));
    console_.annotate(bug);
    if (options_.wants_stories())
      stories_[bug.fingerprint] = bug_story(bug, campaign_->replayer().symbols(), named_program_);
    console_.print(bug.stored ? fmt::format("\n  reproduced by a schedule of an earlier run: {}\n\n", bug.schedule)
                              : "\n");
  }

  void progress(const Progress& progress) override {
    introduce();
    progress_.update(progress);
    if (options_.log) options_.log->progress(options_.test, progress);
  }

  void bound_finished(uint32_t bound, uint64_t executions) override {
    if (options_.log) options_.log->bound_finished(options_.test, bound, executions);
    if (options_.quiet) return;
    progress_.clear();
    introduce();
    console_.print(bound_line(bound, executions));
  }

  void starts_over(size_t points) override {
    if (options_.log) options_.log->starts_over(options_.test, points);
    progress_.clear();
    introduce();
    if (options_.quiet) return;
    console_.print(points == 0 ? "  restarting: earlier executions are not reliable\n"
                               : fmt::format("  restarting: {}\n", plural(points, "access is now a scheduling point",
                                                                          "accesses are now scheduling points")));
  }

  bool interrupted() const override { return lockstep::interrupted(); }

  void conclude(const Exploration& result) {
    progress_.clear();
    introduce();
    const std::string isolation = name_of(campaign_->target().info().isolation);
    if (options_.log)
      options_.log->end(options_.test, {options_.command, options_.strategy_name(), isolation, console_.warnings()},
                        result);
    const bool silent = options_.quiet && result.verdict != Verdict::Uncontrolled;
    const bool postponed =
        test_ && test_->may_go_on && result.ending == Ending::TimeBudget && result.verdict == Verdict::Incomplete;
    if (!silent && test_ && !postponed)
      console_.print(named_test_line(test_->name, test_->width, result, console_.terminal()));
    else if (!silent && !test_)
      console_.print(final_lines(result, console_.terminal(), options_.verbose));
    if (result.verdict == Verdict::Uncontrolled)
      console_.print_stack(result.uncontrolled_stack, campaign_->replayer().symbols());
    if (test_) {
      test_->result = result;
      test_->warnings = console_.warnings();
      test_->isolation = isolation;
      test_->stories = std::move(stories_);
      test_->started = true;
      test_->postponed = postponed;
    } else {
      console_.write_results({options_.command, options_.strategy_name(), isolation, console_.warnings(), {}, stories_},
                             result);
    }
    if (!options_.coverage_file.empty()) console_.write_file(options_.coverage_file, campaign_->coverage().csv());
    if (!options_.outputs.empty()) console_.write_file(options_.outputs, campaign_->write_outputs());
    // Called once the result is written, so that after a kill before that the exploration can be resumed.
    const bool goes_on = campaign_->keep_saved_state(result);
    if (goes_on && !options_.quiet && (!test_ || result.interrupted()))
      console_.print(fmt::format("\n  resume  lockstep resume {}\n", options_.out));
  }

 private:
  bool shows_progress() const {
    if (options_.progress != When::Auto) return options_.progress == When::Always;
    return !options_.quiet && isatty(fileno(console_.human()));
  }

  // Printed late: the number of threads is known only once the program has run.
  void introduce() {
    if (introduced_ || options_.quiet || test_) return;
    introduced_ = true;
    setting_.threads = static_cast<unsigned>(campaign_->target().threads().size());
    console_.print(header_line(setting_, console_.terminal()));
  }

  const Options& options_;
  TestRun* const test_;  // set if this is the exploration of one test case
  const std::string named_program_;
  Console console_;
  ProgressLine progress_;
  Setting setting_;
  Campaign* campaign_ = nullptr;
  bool introduced_ = false;
  std::map<std::string, BugStory> stories_;  // by fingerprint
};

int exit_code(const Exploration& result, bool require_complete) {
  ExitCode code = ExitCode::NoBug;
  if (result.verdict == Verdict::Bug)
    code = ExitCode::Bug;
  else if (result.interrupted())
    code = ExitCode::Interrupted;
  else if (result.verdict == Verdict::Uncontrolled)
    code = ExitCode::Uncontrolled;
  else if (require_complete && !result.complete())
    code = ExitCode::Incomplete;
  return static_cast<int>(code);
}

std::optional<Error> check_outputs(const Options& options) {
  if (auto error = check_writable_folder(options.out)) return error;
  if (options.report == "-") return Error{ExitCode::Usage, "--report needs a file; standard output has no pages"};
  for (const std::string& file : {options.json, options.junit, options.sarif, options.coverage_file, options.outputs,
                                  options.events, options.report})
    if (!file.empty() && file != "-")
      if (auto error = check_writable_file(file)) return error;
  return std::nullopt;
}

void keep_matching(const std::string& glob, TestList& list) {
  const auto matches = [&](const TestCase& test) { return test.name == glob || matches_glob(glob, test.name); };
  if (!glob.empty()) std::erase_if(list.tests, [&](const TestCase& test) { return !matches(test); });
}

// Explores the program as a whole or, if it has test cases, one test after the other.
int explore(Options options, const Services& services, const Subject& subject, const SavedExploration* saved,
            TestRun* test) {
  options.coverage = options.log || !options.coverage_file.empty();
  if (!test && !saved && services.list_tests) {
    auto list = services.list_tests({subject.program, options.command, subject.runtime_library, options.tests_list,
                                     options.test_run, [] { return interrupted(); }});
    if (!list && !options.tests_list.empty() && !interrupted())
      return fail({ExitCode::Usage, fmt::format("--tests-list: '{}' did not finish", options.tests_list)});
    if (list) keep_matching(options.test_glob, *list);
    if (list && (options.each_test || list->tests.empty())) return run_tests(options, services, *list);
  }

  Screen screen(options, test, services.is_built_for_lockstep && !services.is_built_for_lockstep(subject.program));
  Result<std::unique_ptr<Campaign>> campaign = Campaign::start(options, subject, services.start, screen, saved);
  if (!campaign && interrupted()) return fail({ExitCode::Interrupted, "interrupted before the program was explored"});
  if (!campaign) return fail(campaign.error());
  screen.watch(**campaign);
  Result<Exploration> result = (*campaign)->run();
  if (!result) return fail(result.error());
  screen.conclude(*result);
  return exit_code(*result, options.require_complete);
}

int start_run(Options options, const Services& services, const SavedExploration* saved, TestRun* test) {
  catch_interrupts();  // early, so that an interrupt ends the run properly from here on
  if (options.out.empty()) options.out = default_out(options.command[0]);
  if (test) {
    options.test = test->name;
    options.stored = Stored::Ignore;
  }
  if (auto strategy = make_search(options); !strategy) return fail(strategy.error());
  Result<std::string> program = services.find_program(options.command[0]);
  if (!program) return fail(program.error());
  if (auto error = check_outputs(options)) return fail(*error);
  Result<std::string> runtime = services.find_runtime();
  if (!runtime) return fail(runtime.error());
  if (!options.input) options.input = ProgramInput::from_standard_input(*program);
  const Subject subject{*program, *runtime};
  if (options.log || (options.events.empty() && options.report.empty()))
    return explore(options, services, subject, saved, test);
  options.log =
      std::make_shared<RunLog>(RunLog::Files{options.events, options.report}, options.command, options.strategy_name());
  const int code = explore(options, services, subject, saved, test);
  options.log->close();
  if (!options.log->problem().empty()) Console(options).warn(options.log->problem());
  return code;
}

}  // namespace

int run_command(const Options& options, const Services& services) {
  return start_run(options, services, nullptr, nullptr);
}
int run_command(const Options& options, const Services& services, const SavedExploration& saved) {
  return start_run(options, services, &saved, nullptr);
}
int run_test(const Options& options, const Services& services, TestRun& test, const SavedExploration* saved) {
  return start_run(options, services, saved, &test);
}

}  // namespace lockstep
