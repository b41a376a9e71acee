#include "cli/run_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "campaign/focus.hpp"
#include "cli/interrupt.hpp"
#include "cli/session.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// The name of a folder: what a shell would have to quote is replaced.
std::string folder_of(const std::string& test) {
  std::string name;
  for (const char c : test)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' ? c : '_';
  return name.substr(0, 100);
}

// The command line that explores this test alone: what `resume` goes on with.
std::vector<std::string> arguments_for(const Options& options, const TestCase& test, const std::string& out) {
  std::vector<std::string> words(
      options.arguments.begin(),
      options.arguments.end() - static_cast<ptrdiff_t>(std::min(options.command.size(), options.arguments.size())));
  if (!words.empty() && words.back() == "--") words.pop_back();
  words.insert(words.end(), {"--tests=whole", "--out=" + out, "--"});
  words.insert(words.end(), test.command.begin(), test.command.end());
  return words;
}

// Worst first: what the whole is when one of its tests is so.
int worse(int a, int b) {
  constexpr int kOrder[] = {1, 130, 4, 2, 3, 0};
  const auto rank = [&](int code) { return std::find(std::begin(kOrder), std::end(kOrder), code); };
  return rank(a) < rank(b) ? a : b;
}

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

template <class T>
void widen(std::optional<T>& least, const std::optional<T>& other) {
  least = least && other ? std::optional(std::min(*least, *other)) : least ? least : other;
}

// What holds of every test: the smallest bounds, and all provisos.
Claim common_claim(const std::vector<TestRun>& tests) {
  Claim all = tests[0].result.claim;
  all.provisos.clear();
  for (const TestRun& test : tests) {
    const Claim& one = test.result.claim;
    if (one.scope != all.scope)
      all.scope = one.scope == Scope::None || all.scope == Scope::None ? Scope::None : Scope::Sample;
    all.finished = all.finished && one.finished;
    all.ended_by_bug = all.ended_by_bug || one.ended_by_bug;
    all.trusts_code = all.trusts_code || one.trusts_code;
    all.certainty = std::min(all.certainty, one.certainty);
    if (one.memory == MemoryModel::Sc) all.memory = MemoryModel::Sc;
    all.traces = all.shared_variables = std::nullopt;
    all.chance = std::nullopt;
    widen(all.bounds.preemptions, one.bounds.preemptions);
    widen(all.bounds.delays, one.bounds.delays);
    widen(all.bounds.variables, one.bounds.variables);
    widen(all.bounds.threads, one.bounds.threads);
    all.preemptions_completed = all.preemptions_completed && one.preemptions_completed
                                    ? std::optional(std::min(*all.preemptions_completed, *one.preemptions_completed))
                                    : std::nullopt;
    for (const Proviso& proviso : one.provisos) all.provisos.push_back(proviso);
  }
  return all;
}

Exploration sum_of(const std::vector<TestRun>& tests, size_t wanted) {
  Exploration all;
  all.traces = all.redundant = 0;
  bool uncontrolled = false;
  size_t passed = 0;
  for (const TestRun& test : tests) {
    const Exploration& one = test.result;
    if (one.interrupted()) all.ending = Ending::Interrupted;
    uncontrolled = uncontrolled || one.verdict == Verdict::Uncontrolled;
    passed += one.verdict == Verdict::Pass;
    all.executions += one.executions;
    all.ended += one.ended;
    all.diverged += one.diverged;
    all.cut += one.cut;
    all.lost += one.lost;
    add(all.traces, one.traces);
    add(all.redundant, one.redundant);
    all.steps_max = std::max(all.steps_max, one.steps_max);
    all.threads_max = std::max(all.threads_max, one.threads_max);
    all.preemptions_max = std::max(all.preemptions_max, one.preemptions_max);
    all.seconds += one.seconds;
    all.peak_frontier_nodes = std::max(all.peak_frontier_nodes, one.peak_frontier_nodes);
    all.peak_memory_bytes = std::max(all.peak_memory_bytes, one.peak_memory_bytes);
    all.bugs.insert(all.bugs.end(), one.bugs.begin(), one.bugs.end());
  }
  all.verdict = !all.bugs.empty()                                ? Verdict::Bug
                : uncontrolled                                   ? Verdict::Uncontrolled
                : passed < tests.size() || tests.size() < wanted ? Verdict::Incomplete
                                                                 : Verdict::Pass;
  if (tests.size() == wanted && wanted > 0) all.claim = common_claim(tests);
  return all;
}

std::string last_line(const std::vector<TestRun>& tests, size_t wanted, const Exploration& all,
                      const Terminal& terminal) {
  size_t of[4] = {};
  for (const TestRun& test : tests) ++of[static_cast<size_t>(test.result.verdict)];
  std::string text;
  const auto say = [&](size_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_separators(count), what);
  };
  say(of[static_cast<size_t>(Verdict::Pass)], "passed");
  say(of[static_cast<size_t>(Verdict::Bug)], "with bugs");
  say(of[static_cast<size_t>(Verdict::Incomplete)], "incomplete");
  say(of[static_cast<size_t>(Verdict::Uncontrolled)], "could not be controlled");
  say(wanted - tests.size(), "not run");
  return fmt::format("{} {} {} ({}, {})\n", plural(wanted, "test"), terminal.glyphs().dash, text,
                     plural(all.executions, "execution"), seconds_text(all.seconds));
}

}  // namespace

int run_tests(const Options& options, const World& world, const TestList& list) {
  if (list.tests.empty())
    return fail({ExitCode::Usage, fmt::format("no test in '{}' matches the filter; '{} {}' lists the tests",
                                              options.command[0], options.command[0],
                                              list.framework == "GoogleTest" ? "--gtest_list_tests" : "--list-tests")});
  Result<std::unique_ptr<Search>> strategy = make_search(options);
  if (!strategy) return fail(strategy.error());
  Session session(options);
  if (!options.quiet)
    session.print(fmt::format("{} {} {} ({}), explored one by one\n",
                              session.terminal().paint("1", fs::path(options.command[0]).filename().string()),
                              session.terminal().glyphs().dot, plural(list.tests.size(), "test"), list.framework));
  // Time is for the whole program, so that it takes as long as the user said; executions are for each test.
  const std::optional<std::chrono::milliseconds> total = budget_of(options, **strategy).time;
  const auto start = std::chrono::steady_clock::now();
  const std::string out = options.out.empty() ? default_out(options.command[0]) : options.out;
  size_t width = 0;
  for (const TestCase& test : list.tests) width = std::max(width, test.name.size());

  std::vector<TestRun> runs;
  int code = 0;
  for (size_t i = 0; i < list.tests.size(); ++i) {
    const TestCase& test = list.tests[i];
    Options one = options;
    one.command = test.command;
    one.out = out + "/" + folder_of(test.name);
    if (!one.coverage.empty()) one.coverage += "." + folder_of(test.name);
    one.json.clear();
    one.junit.clear();
    one.sarif.clear();
    one.arguments = arguments_for(options, test, one.out);
    if (total) {
      const auto spent =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
      one.time = std::max(*total - spent, std::chrono::milliseconds(1)) / static_cast<int64_t>(list.tests.size() - i);
      one.time = std::max(*one.time, std::chrono::milliseconds(1));
    }
    TestRun run{test.name, std::min<size_t>(width, 50), {}, {}, {}, false};
    code = worse(code, run_test(one, world, run));
    if (run.started) runs.push_back(std::move(run));
    if (interrupted() || code == static_cast<int>(ExitCode::Usage)) break;
  }
  if (runs.empty()) return code;
  const Exploration all = sum_of(runs, list.tests.size());
  if (!options.quiet) session.print("\n" + last_line(runs, list.tests.size(), all, session.terminal()));
  JsonReport report{options.command, options.strategy_name(), runs.back().isolation, {}, {}};
  for (TestRun& run : runs) {
    for (const std::string& warning : run.warnings) report.warnings.push_back(run.name + ": " + warning);
    report.tests.push_back({run.name, std::move(run.result), std::move(run.warnings)});
  }
  session.write_results(report, all);
  return code;
}

}  // namespace lockstep
