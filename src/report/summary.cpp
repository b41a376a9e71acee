// Builds the lines before and after an exploration.
#include "report/summary.hpp"

#include <fmt/format.h>
#include <cctype>

#include "report/claim_text.hpp"

namespace lockstep {
namespace {

std::string tally(const Exploration& result) {
  std::string text = plural(result.executions, "execution");
  if (result.traces)
    text += ", " + with_separators(*result.traces) + " distinct behaviour" + (*result.traces == 1 ? "" : "s");
  return text + ", " + seconds_text(result.seconds);
}

std::string contributions(const Exploration& result, bool verbose) {
  return !verbose || result.contributions.empty() ? std::string{} : "       Search: " + result.contributions + ".\n";
}

std::string bug_depth(const Exploration& result) {
  if (result.bugs.size() > 1)
    return fmt::format("{} distinct bugs found; {}", result.bugs.size(),
                       result.complete() ? "explored: " + known_text(result) : "there may be more");
  const uint32_t cost = result.bugs.front().preemptions;
  const std::string needs =
      cost == 0 ? "Bug found; needs no preemption" : "Bug found; needs " + plural(cost, "preemption");
  const auto& proved = result.claim.preemptions_completed;
  return proved && *proved < cost ? fmt::format("{} (no bug with at most {})", needs, *proved) : needs;
}

std::string explored_text(const Exploration& result, const std::string& claim) {
  return result.claim.scope == Scope::None ? claim : "explored: " + claim;
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string indented(const std::string& line) { return line.empty() ? "" : "       " + line + "\n"; }

// The strategy's default budget ended the search: how to raise it.
std::string how_to_go_on(const Exploration& result) {
  return result.ending == Ending::DefaultBudget ? "To search longer, add --time 10m or --executions N." : "";
}

}  // namespace

std::string how_to_instrument(const Claim& claim) {
  if (!claim.find(ProvisoKind::Uninstrumented)) return {};
  return "To see into that code, build it with lockstep-cxx, or name its target in lockstep_instrument() in CMake.";
}

std::string with_separators(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_separators(count), noun, count == 1 ? "" : "s");
}

std::string plural(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_separators(count), count == 1 ? one : many);
}

std::string seconds_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string shell_word(std::string_view word) {
  auto safe = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
  };
  bool plain = !word.empty();
  for (char c : word) plain = plain && safe(c);
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::string header_line(const Setting& setting, const Terminal& terminal) {
  const std::string_view dot = terminal.glyphs().dot;
  std::string text = terminal.paint("1", setting.program);
  if (setting.threads > 0) text += fmt::format(" {} {}", dot, plural(setting.threads, "thread"));
  const char* points = setting.points == Points::Sync      ? "sync calls"
                       : setting.points == Points::Atomics ? "sync calls and atomics"
                       : setting.points == Points::All     ? "sync calls, atomics and all shared accesses"
                                                           : "sync calls, atomics and racy accesses";
  text += fmt::format(" {} preempting at {}", dot, points);
  if (setting.seed) text += fmt::format(" {} seed {}", dot, *setting.seed);
  return text + "\n";
}

std::string bound_line(uint32_t bound, uint64_t executions) {
  return fmt::format("  {:<15} all pass ({})\n", plural(bound, "preemption"), plural(executions, "execution"));
}

std::string test_line(const Exploration& result, const Terminal& terminal) {
  const std::string rest = fmt::format(" ({})", tally(result));
  switch (result.verdict) {
    case Verdict::Bug:
      return fmt::format("{}        {} at execution {}{}{}", terminal.paint("1;31", "BUG"),
                         name_of(result.bugs[0].kind), with_separators(result.bugs[0].execution),
                         result.bugs.size() > 1 ? fmt::format(" and {} more", result.bugs.size() - 1) : "", rest);
    case Verdict::Pass:
      return fmt::format("{}       {}{}", terminal.paint("1;32", "pass"), guarantee_text(result), rest);
    case Verdict::Incomplete:
      return fmt::format("{} {}; {}{}", terminal.paint("1;33", "incomplete"), ending_text(result.ending),
                         explored_text(result, guarantee_text(result)), rest);
    case Verdict::Uncontrolled:
      return fmt::format("{} {}", terminal.paint("1;31", "UNCONTROLLED"), result.uncontrolled);
  }
  return {};
}

// A proof covers only what the test does.
std::string small_workload_hint(const Exploration& result) {
  constexpr uint32_t kFewSteps = 20;  // steps of each thread
  constexpr double kQuick = 1;        // seconds
  const Bounds& bounds = result.claim.bounds;
  const bool bounded = bounds.preemptions || bounds.variables || bounds.threads || bounds.depth || bounds.delays;
  if (!result.complete() || bounded || result.threads_max < 2 || result.seconds >= kQuick) return {};
  const uint32_t each = (result.steps_max + result.threads_max - 1) / result.threads_max;
  if (each > kFewSteps) return {};
  return fmt::format(
      "Hint: this covers a small workload, {} threads with about {} each. Try more operations per thread, or one "
      "thread more.",
      result.threads_max, plural(each, "step"));
}

std::string final_lines(const Exploration& result, const Terminal& terminal, bool verbose) {
  const std::string_view dash = terminal.glyphs().dash;
  const std::string rest = contributions(result, verbose);
  switch (result.verdict) {
    case Verdict::Bug:
      return fmt::format("{}. ({}, {})\n{}", bug_depth(result), plural(result.executions, "execution"),
                         seconds_text(result.seconds), rest);
    case Verdict::Pass:
      return fmt::format("{} {} {} ({})\n{}{}{}{}", terminal.paint("1;32", "PASS"), dash, known_text(result),
                         tally(result), indented(not_covered_text(result)), indented(how_to_instrument(result.claim)),
                         indented(small_workload_hint(result)), rest);
    case Verdict::Incomplete:
      return fmt::format("{} {} no bug found, {} ({})\n{}{}{}{}{}", terminal.paint("1;33", "INCOMPLETE"), dash,
                         ending_text(result.ending), tally(result),
                         indented(capitalised(explored_text(result, known_text(result))) + "."),
                         indented(not_covered_text(result)), indented(how_to_instrument(result.claim)),
                         indented(how_to_go_on(result)), rest);
    case Verdict::Uncontrolled:
      return fmt::format("{} {} {}\n", terminal.paint("1;31", "UNCONTROLLED"), dash, result.uncontrolled);
  }
  return {};
}

}  // namespace lockstep
