// Turns the outcome of an execution into a finding with a message.
#include "analysis/outcome.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "analysis/bounds.hpp"
#include "analysis/deadlock.hpp"
#include "model/waits_for_ever.hpp"

namespace lockstep {
namespace {

std::optional<FindingKind> kind_of(const TraceHeader& header) {
  if (waits_for_ever(header)) return FindingKind::Deadlock;
  switch (header.outcome) {
    case Outcome::Assertion: return FindingKind::Assertion;
    case Outcome::Abort: return FindingKind::Abort;
    case Outcome::Exception: return FindingKind::Exception;
    case Outcome::Crash:
    case Outcome::WorkerDied: return FindingKind::Crash;
    case Outcome::ExitCode: return FindingKind::ExitCode;
    case Outcome::LockMisuse: return FindingKind::LockMisuse;
    case Outcome::DoubleFree: return FindingKind::DoubleFree;
    case Outcome::Deadlock:  // above
    case Outcome::Livelock: return FindingKind::Livelock;
    case Outcome::Ok:
    case Outcome::StepLimit:  // a long execution is no error
    case Outcome::Redundant:
    case Outcome::Diverged:      // counted by the explorer
    case Outcome::Uncontrolled:  // ends the exploration
    case Outcome::kCount: break;
  }
  return std::nullopt;
}

std::string signal_name(int number) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGABRT: return "SIGABRT";
    case SIGKILL: return "SIGKILL";
    default: return "signal " + std::to_string(number);
  }
}

std::string crash_message(const TraceHeader& header, const std::string& who) {
  std::string text = who + " crashed";
  if (header.code) text += " with " + signal_name(header.code);
  if (header.fault_address) {
    char address[32];
    std::snprintf(address, sizeof address, " at address 0x%llx", static_cast<unsigned long long>(header.fault_address));
    text += address;
  }
  return text;
}

std::string livelock_message(TraceView trace) {
  std::string spinning;
  for (const Step& p : trace.pending())
    if (p.kind != OpKind::Join) spinning += (spinning.empty() ? "" : ", ") + name_of(p.thread);
  return "livelock: the remaining threads spin, each waiting for another" + (spinning.empty() ? "" : ": " + spinning);
}

std::string call_deadlock_message(TraceView trace) {
  std::string text = "deadlock: ";
  for (const Step& p : trace.pending())
    if (p.kind == OpKind::State) text += name_of(p.thread) + " waits in a system call; ";
  return text + "no thread can make it return";
}

// A description of the outcome, without the program's own message.
std::string fact(TraceView trace) {
  const TraceHeader& header = trace.header();
  const std::string who = header.culprit == kNoThread ? "the program" : name_of(header.culprit);
  switch (trace.outcome()) {
    case Outcome::Assertion: return "assertion failed in " + who;
    case Outcome::Abort: return who + " called abort()";
    case Outcome::Exception: return "uncaught exception in " + who;
    case Outcome::Crash: return crash_message(header, who);
    case Outcome::WorkerDied: return "the program died";
    case Outcome::ExitCode: return "the program ended with exit code " + std::to_string(header.code);
    case Outcome::LockMisuse: return who + " misused a lock";
    case Outcome::DoubleFree: return who + " freed memory twice";
    case Outcome::Livelock:
      if (waits_for_ever(header)) return call_deadlock_message(trace);
      return trace.message().empty() ? livelock_message(trace) : "livelock";
    case Outcome::Deadlock: {
      const std::string waits = describe(wait_graph(trace));
      return waits.empty() ? "deadlock: no thread can run" : "deadlock: " + waits;
    }
    default: return name_of(trace.outcome());
  }
}

// True if the cause of the outcome is among the trace's races: LockMisuseAnalysis or RaceAnalysis reports it.
bool is_reported_otherwise(FindingKind kind, TraceView trace) {
  return std::ranges::any_of(trace.races(), [kind](const DataRace& found) {
    const bool gone_frame = found.ordered() && found.first.flags & RaceAccess::kFree && found.first.pc == 0;
    const bool misused = found.misuse() && found.second.misuse != Misuse::SpinsUnyielding;
    return (kind == FindingKind::LockMisuse && misused) || (kind == FindingKind::Crash && gone_frame);
  });
}

}  // namespace

std::optional<Finding> OutcomeAnalysis::check(TraceView trace) {
  const auto kind = kind_of(trace.header());
  if (!kind) return std::nullopt;
  if (is_reported_otherwise(*kind, trace)) return std::nullopt;
  Finding finding;
  finding.kind = *kind;
  finding.message = fact(trace);
  if (!trace.message().empty()) finding.message += ": " + std::string(trace.message());
  set_bounds(finding, bounds_of(trace));
  return finding;
}

}  // namespace lockstep
