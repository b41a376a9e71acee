// Explores the test cases of a program one after the other.
#include "cli/run_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "campaign/deadline.hpp"
#include "campaign/focus.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/paths.hpp"
#include "report/summary.hpp"
#include "report/test_summary.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// A folder name for a test: characters that a shell would have to quote are replaced.
std::string folder_of(const std::string& test) {
  std::string name;
  for (const char c : test)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' ? c : '_';
  return name.substr(0, 100);
}

// The command line that explores this test alone, for `resume`.
std::vector<std::string> arguments_for(const Options& options, const TestCase& test, const std::string& out) {
  std::vector<std::string> words(
      options.arguments.begin(),
      options.arguments.end() - static_cast<ptrdiff_t>(std::min(options.command.size(), options.arguments.size())));
  if (!words.empty() && words.back() == "--") words.pop_back();
  words.insert(words.end(), {"--tests=whole", "--out=" + out, "--"});
  words.insert(words.end(), test.command.begin(), test.command.end());
  return words;
}

// Exit codes, worst first. The worst exit code of a test is that of the whole.
int worse(int a, int b) {
  constexpr int kOrder[] = {1, 130, 4, 2, 3, 0};
  const auto rank = [&](int code) { return std::find(std::begin(kOrder), std::end(kOrder), code); };
  return rank(a) < rank(b) ? a : b;
}

using std::chrono::milliseconds;

// The time limit is for the whole program; the limit on executions is for each test. Every test first gets an equal
// share of the time. Tests that are not finished share the time that is left.
class TestRuns {
 public:
  TestRuns(const Options& options, const Services& services, const TestList& list, Console& console,
           std::optional<milliseconds> time)
      : options_(options), services_(services), list_(list), console_(console), time_(time) {
    const std::string out = options.out.empty() ? default_out(options.command[0]) : options.out;
    std::set<std::string> used;
    for (const TestCase& test : list.tests) {
      std::string folder = folder_of(test.name);
      for (int n = 2; !used.insert(folder).second; ++n) folder = fmt::format("{}-{}", folder_of(test.name), n);
      runs_.push_back({.name = test.name, .out = out + "/" + folder});
      width_ = std::max(width_, std::min<size_t>(test.name.size(), 50));
    }
  }

  int run() {
    for (size_t i = 0; i < runs_.size() && !ended(); ++i) start(i, time_ ? share(runs_.size()) : time_, nullptr);
    std::vector<size_t> unfinished;
    for (size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i].postponed) unfinished.push_back(i);
    for (size_t n = 0; n < unfinished.size(); ++n) go_on(unfinished[n], unfinished.size() - n);
    int code = 0;
    for (const TestRun& run : runs_)
      if (run.exit_code) code = worse(code, *run.exit_code);
    write_results();
    return code;
  }

 private:
  milliseconds left() const {
    const auto spent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - options_.began);
    return std::max(*time_ - spent, milliseconds(0));
  }
  milliseconds share(size_t tests) const {
    constexpr milliseconds kLeast{20};  // enough for a few executions
    return std::min(left(), std::max(kLeast, *time_ / static_cast<int64_t>(tests)));
  }
  bool ended() const {
    const bool refused = std::any_of(runs_.begin(), runs_.end(), [](const TestRun& run) {
      return run.exit_code == static_cast<int>(ExitCode::Usage);
    });
    return refused || interrupted() || (time_ && left().count() == 0);
  }

  void start(size_t i, std::optional<milliseconds> time, const SavedExploration* saved) {
    const TestCase& test = list_.tests[i];
    TestRun& run = runs_[i];
    Options one = options_;
    one.command = test.command;
    one.out = run.out;
    if (!one.coverage_file.empty()) one.coverage_file += "." + folder_of(test.name);
    if (!one.outputs.empty()) one.outputs += "." + folder_of(test.name);
    one.json.clear();
    one.junit.clear();
    one.sarif.clear();
    one.stories = options_.wants_stories();
    one.arguments = arguments_for(options_, test, one.out);
    one.instrumentation = instrumentation_;
    one.began = std::chrono::steady_clock::now();
    if (time) one.time = std::max(*time, milliseconds(1));
    if (time) one.latest = options_.began + *time_ + grace_after(*time_);
    run.width = width_;
    run.may_go_on = time_.has_value() && !saved;
    run.exit_code = run_test(one, services_, run, saved);
  }

  // Continues from the saved state, with a share of the time that is left.
  void go_on(size_t i, size_t tests) {
    constexpr milliseconds kWorthwhile{50};
    TestRun& run = runs_[i];
    const milliseconds time = left() / static_cast<int64_t>(tests);
    run.postponed = false;
    if (!interrupted() && time >= kWorthwhile) {
      if (const Result<SavedExploration> saved = load_saved_exploration(saved_exploration_path(run.out)))
        return start(i, time, &*saved);
    }
    if (!options_.quiet) console_.print(named_test_line(run.name, width_, run.result, console_.terminal()));
  }

  void write_results() {
    JsonReport report{options_.command, options_.strategy_name(), {}, {}};
    for (TestRun& run : runs_) {
      if (!run.started) continue;
      report.isolation = run.isolation;
      report.stories.merge(run.stories);
      for (const std::string& warning : run.warnings) report.warnings.push_back(run.name + ": " + warning);
      report.tests.push_back({run.name, std::move(run.result), std::move(run.warnings)});
    }
    if (report.tests.empty()) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - options_.began).count();
    const Exploration all = sum_of(report.tests, runs_.size(), seconds);
    if (!options_.quiet) console_.print("\n" + tests_line(report.tests, runs_.size(), all, console_.terminal()));
    console_.write_results(report, all);
  }

  const Options& options_;
  const Services& services_;
  const TestList& list_;
  Console& console_;
  const std::optional<milliseconds> time_;
  const std::shared_ptr<InstrumentationCache> instrumentation_ = std::make_shared<InstrumentationCache>();
  size_t width_ = 0;
  std::vector<TestRun> runs_;
};

}  // namespace

int run_tests(const Options& options, const Services& services, const TestList& list) {
  if (list.tests.empty())
    return fail({ExitCode::Usage, fmt::format("no test in '{}' matches the filter; '{}' lists the tests",
                                              options.command[0], list.how_to_list)});
  Result<std::unique_ptr<Search>> strategy = make_search(options);
  if (!strategy) return fail(strategy.error());
  Console console(options);
  if (!options.quiet)
    console.print(fmt::format("{} {} {} ({}), explored one by one\n",
                              console.terminal().paint("1", fs::path(options.command[0]).filename().string()),
                              console.terminal().glyphs().dot, plural(list.tests.size(), "test"), list.framework));
  return TestRuns(options, services, list, console, budget_of(options, **strategy).time).run();
}

}  // namespace lockstep
