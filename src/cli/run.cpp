#include <fmt/format.h>
#include <unistd.h>
#include <filesystem>

#include "campaign/campaign.hpp"
#include "campaign/focus.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/run_tests.hpp"
#include "cli/session.hpp"
#include "report/progress.hpp"
#include "report/schedule_file.hpp"
#include "report/story.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

// Shows a campaign on the terminal.
class Screen final : public CampaignListener {
 public:
  Screen(const Options& options, TestRun* test)
      : options_(options),
        test_(test),
        session_(options),
        progress_(session_.human(), session_.terminal(), shows_progress()),
        setting_{std::filesystem::path(options.command[0]).filename().string()} {}

  void watch(Campaign& campaign) {
    campaign_ = &campaign;
    setting_.points = campaign.points();
    if (options_.seed_drawn) setting_.seed = options_.strategy.seed;
  }

  void warn(const std::string& text) override { session_.warn(text); }

  void found(const Finding& bug) override {
    progress_.clear();
    introduce();
    if (bug.schedule.empty() && is_warning(bug.kind)) {
      session_.print(fmt::format("\n{}: {}\n\n", name_of(bug.kind), bug.message));
      return;
    }
    if (test_) session_.print(fmt::format("\n{}\n", session_.terminal().paint("1", test_->name)));
    session_.print("\n" + tell_story(bug, campaign_->replayer().symbols(), {.terminal = session_.terminal()}));
    session_.print(bug.stored ? fmt::format("\n  reproduced by a schedule of an earlier run: {}\n\n", bug.schedule)
                              : "\n");
  }

  void progress(const Progress& progress) override {
    introduce();
    progress_.update(progress);
  }

  void bound_finished(uint32_t bound, uint64_t executions) override {
    if (options_.quiet) return;
    progress_.clear();
    introduce();
    session_.print(bound_line(bound, executions));
  }

  void starts_over(size_t points) override {
    progress_.clear();
    introduce();
    if (options_.quiet) return;
    session_.print(points == 0 ? "  restarting without checkpoints\n"
                               : fmt::format("  restarting: {}\n", plural(points, "access is now a scheduling point",
                                                                          "accesses are now scheduling points")));
  }

  bool interrupted() const override { return lockstep::interrupted(); }

  void conclude(const Exploration& result) {
    progress_.clear();
    introduce();
    const std::string isolation = name_of(campaign_->target().info().isolation);
    const bool silent = options_.quiet && result.verdict != Verdict::Uncontrolled;
    if (!silent && test_)
      session_.print(fmt::format("  {:{}}  {}\n", test_->name, test_->width, test_line(result, session_.terminal())));
    else if (!silent)
      session_.print(final_lines(result, session_.terminal(), options_.verbose));
    if (result.verdict == Verdict::Uncontrolled)
      session_.print_stack(result.uncontrolled_stack, campaign_->replayer().symbols());
    if (test_)
      *test_ = {test_->name, test_->width, result, session_.warnings(), isolation, true};
    else
      session_.write_results({options_.command, options_.strategy_name(), isolation, session_.warnings()}, result);
    if (!options_.coverage.empty()) session_.write_file(options_.coverage, campaign_->coverage().csv());
    // Once the result is written: until then a kill leaves something to resume.
    const bool goes_on = campaign_->keep_saved_state(result);
    if (goes_on && !options_.quiet && (!test_ || result.interrupted()))
      session_.print(fmt::format("\n  resume  lockstep resume {}\n", options_.out));
  }

 private:
  bool shows_progress() const {
    if (options_.progress != When::Auto) return options_.progress == When::Always;
    return !options_.quiet && isatty(fileno(session_.human()));
  }

  // Late, because how many threads there are shows only once the program ran.
  void introduce() {
    if (introduced_ || options_.quiet || test_) return;
    introduced_ = true;
    setting_.threads = static_cast<unsigned>(campaign_->target().threads().size());
    session_.print(header_line(setting_, session_.terminal()));
  }

  const Options& options_;
  TestRun* const test_;  // this is the exploration of one test case; otherwise of a whole program
  Session session_;
  ProgressLine progress_;
  Setting setting_;
  Campaign* campaign_ = nullptr;
  bool introduced_ = false;
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
  for (const std::string& file : {options.json, options.junit, options.sarif, options.coverage})
    if (!file.empty() && file != "-")
      if (auto error = check_writable_file(file)) return error;
  return std::nullopt;
}

int start_run(Options options, const World& world, const SavedRun* saved, TestRun* test) {
  catch_interrupts();  // before anything takes long: from here on an interrupt ends it as it should
  if (options.out.empty()) options.out = default_out(options.command[0]);
  if (test) {
    options.test = test->name;
    options.stored = Stored::Ignore;
  }
  if (auto strategy = make_search(options); !strategy) return fail(strategy.error());
  Result<std::string> program = world.find_program(options.command[0]);
  if (!program) return fail(program.error());
  if (auto error = check_outputs(options)) return fail(*error);
  Result<std::string> runtime = world.find_runtime();
  if (!runtime) return fail(runtime.error());
  if (!options.input) options.input = ProgramInput::from_standard_input(*program);
  if (!test && !saved && world.list_tests)
    if (const auto list = world.list_tests(*program, options.command, *runtime);
        list && (options.each_test || list->tests.empty()))
      return run_tests(options, world, *list);

  Screen screen(options, test);
  Result<std::unique_ptr<Campaign>> campaign =
      Campaign::start(options, {*program, *runtime}, world.start, screen, saved);
  if (!campaign) return fail(campaign.error());
  screen.watch(**campaign);
  Result<Exploration> result = (*campaign)->run();
  if (!result) return fail(result.error());
  screen.conclude(*result);
  return exit_code(*result, options.require_complete);
}

}  // namespace

int run_command(const Options& options, const World& world) { return start_run(options, world, nullptr, nullptr); }
int run_command(const Options& options, const World& world, const SavedRun& saved) {
  return start_run(options, world, &saved, nullptr);
}
int run_test(const Options& options, const World& world, TestRun& test) {
  return start_run(options, world, nullptr, &test);
}

}  // namespace lockstep
