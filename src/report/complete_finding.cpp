// Completes findings: message, location and fingerprint from a detailed trace.
#include "report/complete_finding.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <csignal>
#include <cstring>

#include "report/fingerprint.hpp"
#include "report/race_text.hpp"
#include "report/user_frames.hpp"
#include "report/wait_text.hpp"

namespace lockstep {
namespace {

// The stack for the location: that of the failure, otherwise of the first thread that is blocked.
std::span<const uint64_t> telling_stack(const TraceNames& names) {
  if (auto stack = names.stack_of_failure(); !stack.empty()) return stack;
  const auto pending = names.trace().pending();
  for (size_t i = 0; i < pending.size(); ++i)
    if (pending[i].flags & Step::kBlocked) return names.stack_of_pending(i);
  return pending.empty() ? std::span<const uint64_t>{} : names.stack_of_pending(0);
}

// The second access, unless it is the end of a stack frame, which has no stack.
std::span<const uint64_t> telling_stack(const DataRace& race, const TraceNames& names) {
  const auto second = stack_of(race.second, names);
  return second.empty() ? stack_of(race.first, names) : second;
}

// A deadlocked thread in which the cycle starts is more useful than a main thread that only joins.
std::span<const uint64_t> deadlock_stack(const TraceNames& names) {
  const WaitGraph graph = wait_graph(names.trace());
  return graph.cycle.empty() ? telling_stack(names) : names.stack_of_pending(graph.cycle.front());
}

std::string crash_message(const TraceHeader& header) {
  const char* signal = sigabbrev_np(header.code);
  std::string text = signal ? fmt::format("SIG{}", signal) : fmt::format("signal {}", header.code);
  if (header.fault_address != 0 || header.code == SIGSEGV)
    text += fmt::format(" at address {:#x}", header.fault_address);
  if (header.fault_address < 4096 && header.code == SIGSEGV) text += " (null pointer)";
  return text;
}

std::string message_of(const Finding& found, const TraceNames& names) {
  const TraceHeader& header = names.trace().header();
  switch (found.kind) {
    case FindingKind::Deadlock: {
      if (header.outcome == Outcome::Livelock) return found.message;
      const std::string waits = describe_waits(wait_graph(names.trace()), names);
      return waits.empty() ? found.message : "deadlock: " + waits;
    }
    case FindingKind::Crash:
      if (names.trace().message().empty() && header.code != 0) return crash_message(header);
      break;
    case FindingKind::ExitCode:
      if (names.trace().message().empty()) return fmt::format("the program ended with exit code {}", header.code);
      break;
    default: break;
  }
  if (found.kind == FindingKind::DoubleFree) {
    const std::string more = double_free_text(names);
    return std::string(names.trace().message()) + (more.empty() ? "" : ": " + more);
  }
  if (found.allocation) return leak_message(*found.allocation, names);
  if (found.steps.size() == 2) return stale_load_message(found.steps[0], found.steps[1], names);
  if (!found.lock_cycle.empty()) return lock_order_text(found.lock_cycle, names);
  if (!names.trace().message().empty()) return std::string(names.trace().message());
  return found.message.empty() ? name_of(found.kind) : found.message;
}

// How well the finding of a replay matches: 0 another kind, 1 the same kind, 2 the same failure. A trace may have
// several races; a recorded race is identified by its fingerprint only.
int likeness(const Finding& found, const Finding& wanted, TraceView trace, Symbols& symbols) {
  const bool words_of_a_test = found.kind == FindingKind::ExitCode && wanted.kind == FindingKind::Assertion;
  if (found.kind != wanted.kind && !words_of_a_test) return 0;
  if (!found.race) return 2;
  if (wanted.race) {
    const auto same = [](const DataRace& a, const DataRace& b) {
      return std::minmax(a.first.pc, a.second.pc) == std::minmax(b.first.pc, b.second.pc);
    };
    return same(*found.race, *wanted.race) ? 2 : 1;
  }
  return fingerprint_of(found, TraceNames(trace, symbols)) == wanted.fingerprint ? 2 : 1;
}

}  // namespace

std::optional<Finding> best_match(const Finding& wanted, bool same_kind, TraceView trace,
                                  std::span<Analysis* const> analyses, Symbols& symbols) {
  std::optional<Finding> best;
  int best_score = -1;
  for (Analysis* analysis : analyses)
    for (Finding& found : analysis->check_all(trace)) {
      const int score = likeness(found, wanted, trace, symbols);
      if ((same_kind && score < 1) || score <= best_score) continue;
      best = std::move(found);
      best_score = score;
    }
  return best;
}

Finding complete_finding(Finding found, Trace trace, std::string output, Symbols& symbols) {
  found.trace = std::move(trace);
  found.output = std::move(output);
  const TraceNames names(found.trace, symbols, &found.seen);
  found.message = found.race ? race_message(*found.race, names) : message_of(found, names);
  const auto stack = found.race                            ? telling_stack(*found.race, names)
                     : found.allocation                    ? names.stack_of_allocation(*found.allocation)
                     : !found.steps.empty()                ? names.stack_of_step(found.steps.back())
                     : !found.lock_cycle.empty()           ? names.stack_of_step(found.lock_cycle.back().step)
                     : found.kind == FindingKind::Deadlock ? deadlock_stack(names)
                                                           : telling_stack(names);
  if (auto frame = innermost_user_frame(stack, symbols)) found.location = frame->where;
  found.fingerprint = fingerprint_of(found, names);
  return found;
}

void retell_message(Finding& found, Symbols& symbols) {
  if (found.observed) return;  // a message of a test framework
  const TraceNames names(found.trace, symbols, &found.seen);
  found.message = found.race ? race_message(*found.race, names) : message_of(found, names);
}

}  // namespace lockstep
