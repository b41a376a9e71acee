// Combines the results of test cases.
#include "report/test_summary.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "report/summary.hpp"

namespace lockstep {
namespace {

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

template <class T>
void widen(std::optional<T>& least, const std::optional<T>& other) {
  least = least && other ? std::optional(std::min(*least, *other)) : least ? least : other;
}

// The claim that holds for every test: the smallest bounds, and all provisos.
Claim common_claim(const std::vector<TestResult>& tests) {
  Claim all = tests[0].result.claim;
  all.provisos.clear();
  for (const TestResult& test : tests) {
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

}  // namespace

Exploration sum_of(const std::vector<TestResult>& tests, size_t wanted, double seconds) {
  Exploration all;
  all.traces = all.redundant = 0;
  all.seconds = seconds;
  bool uncontrolled = false;
  size_t passed = 0;
  for (const TestResult& test : tests) {
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

std::string tests_line(const std::vector<TestResult>& tests, size_t wanted, const Exploration& all,
                       const Terminal& terminal) {
  size_t of[4] = {};
  for (const TestResult& test : tests) ++of[static_cast<size_t>(test.result.verdict)];
  std::string text;
  const auto say = [&](size_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_separators(count), what);
  };
  say(of[static_cast<size_t>(Verdict::Pass)], "passed");
  say(of[static_cast<size_t>(Verdict::Bug)], "with bugs");
  say(of[static_cast<size_t>(Verdict::Incomplete)], "incomplete");
  say(of[static_cast<size_t>(Verdict::Uncontrolled)], "could not be controlled");
  say(wanted - tests.size(), "not run");
  std::string plain;  // printed once
  for (const TestResult& test : tests)
    if (plain.empty()) plain = how_to_instrument(test.result.claim);
  return fmt::format("{} {} {} ({}, {})\n{}", plural(wanted, "test"), terminal.glyphs().dash, text,
                     plural(all.executions, "execution"), seconds_text(all.seconds), plain.empty() ? "" : plain + "\n");
}

std::string named_test_line(const std::string& name, size_t width, const Exploration& result,
                            const Terminal& terminal) {
  return fmt::format("  {:{}}  {}\n", name, width, test_line(result, terminal));
}

}  // namespace lockstep
