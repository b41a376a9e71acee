#include "report/summary.hpp"

#include <fmt/format.h>
#include <cctype>

namespace lockstep {
namespace {

std::string tally(const Exploration& result) {
  std::string text = plural(result.executions, "execution");
  if (result.traces) text += ", " + with_separators(*result.traces) + " distinct behaviours";
  return text + ", " + seconds_text(result.seconds);
}

std::string bound(uint32_t preemptions) {
  return preemptions == 0 ? "without preemption" : "with at most " + plural(preemptions, "preemption");
}

std::string spent_on(const Exploration& result) {
  return result.remark.empty() ? std::string{} : "       Chosen: " + result.remark + ".\n";
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string known_now(const Exploration& result) {
  const uint32_t cost = result.bugs.front().preemptions;
  const std::string needs = cost == 0 ? "without preemption" : "with " + std::to_string(cost);
  if (result.bugs.size() > 1)
    return fmt::format("{} distinct bugs; {}", result.bugs.size(),
                       result.complete ? "all of " + guarantee_sentence(result) + " was explored" : "more may be left");
  if (result.preemptions_completed && *result.preemptions_completed < cost)
    return fmt::format("no bug {}; this one {}", bound(*result.preemptions_completed), needs);
  return fmt::format("this bug shows {}", cost == 0 ? "without preemption" : "with " + plural(cost, "preemption"));
}

std::string not_covered(const Exploration& result, const Setting& setting) {
  std::string text = "Not covered: ";
  if (!result.complete) {
    text += "the executions that were not run; ";
  } else if (result.preemptions_completed && result.guarantee.find("at most") != std::string::npos) {
    text += "more preemptions; ";
  }
  if (setting.points == Points::Sync) text += "preemptions between synchronisation calls; ";
  if (result.cut > 0) text += plural(result.cut, "execution") + " cut at the step limit; ";
  return text + "weak memory orders (explored as sequentially consistent).";
}

}  // namespace

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

std::string header_line(const Setting& setting, const Terminal& terminal) {
  const std::string_view dot = terminal.glyphs().dot;
  std::string text = terminal.paint("1", setting.program);
  if (setting.threads > 0) text += fmt::format(" {} {}", dot, plural(setting.threads, "thread"));
  const char* points = setting.points == Points::Sync      ? "sync calls"
                       : setting.points == Points::Atomics ? "sync calls and atomics"
                       : setting.points == Points::All     ? "sync calls, atomics and all shared accesses"
                                                           : "sync calls, atomics and racy accesses";
  return text + fmt::format(" {} preempting at {}\n", dot, points);
}

std::string bound_line(uint32_t bound, uint64_t executions) {
  return fmt::format("  {:<15} all pass ({})\n", plural(bound, "preemption"), plural(executions, "execution"));
}

std::string guarantee_sentence(const Exploration& result) {
  if (!result.guarantee.empty()) return result.guarantee;
  return fmt::format("{} without exhausting the strategy's space", plural(result.executions, "execution"));
}

std::string test_line(const Exploration& result, const Terminal& terminal) {
  const std::string rest = fmt::format(" ({})", tally(result));
  switch (result.verdict) {
    case Verdict::Bug:
      return fmt::format("{}        {} at execution {}{}{}", terminal.paint("1;31", "BUG"), name_of(result.bugs[0].kind),
                         with_separators(result.bugs[0].execution),
                         result.bugs.size() > 1 ? fmt::format(" and {} more", result.bugs.size() - 1) : "", rest);
    case Verdict::Pass: return fmt::format("{}       {}{}", terminal.paint("1;32", "pass"), guarantee_sentence(result), rest);
    case Verdict::Incomplete:
      return fmt::format("{} stopped by {}; {}{}", terminal.paint("1;33", "incomplete"),
                         result.stopped_by.empty() ? "a budget" : result.stopped_by, guarantee_sentence(result), rest);
    case Verdict::Uncontrolled: return fmt::format("{} {}", terminal.paint("1;31", "UNCONTROLLED"), result.uncontrolled);
  }
  return {};
}

std::string final_lines(const Exploration& result, const Setting& setting, const Terminal& terminal) {
  const std::string_view dash = terminal.glyphs().dash;
  switch (result.verdict) {
    case Verdict::Bug:
      return fmt::format("Known now: {}. ({}, {})\n{}", known_now(result), plural(result.executions, "execution"),
                         seconds_text(result.seconds), spent_on(result));
    case Verdict::Pass:
      return fmt::format("{} {} {} ({})\n       {}\n{}", terminal.paint("1;32", "PASS"), dash, guarantee_sentence(result),
                         tally(result), not_covered(result, setting), spent_on(result));
    case Verdict::Incomplete:
      return fmt::format("{} {} no bug found, stopped by {} ({})\n       {}\n       {}\n{}",
                         terminal.paint("1;33", "INCOMPLETE"), dash,
                         result.stopped_by.empty() ? "a budget" : result.stopped_by, tally(result),
                         capitalised("known now: " + guarantee_sentence(result) + "."), not_covered(result, setting),
                         spent_on(result));
    case Verdict::Uncontrolled:
      return fmt::format("{} {} {}\n", terminal.paint("1;31", "UNCONTROLLED"), dash, result.uncontrolled);
  }
  return {};
}

}  // namespace lockstep
