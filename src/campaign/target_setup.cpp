// Derives the settings of a target from the options of a campaign.
#include "campaign/target_setup.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "target/trusted_code.hpp"

namespace lockstep {
namespace {

// Upper limit of the driver's memory per record of an execution under reduction.
constexpr uint64_t kBytesPerRecord = 1024;

Result<std::vector<CodeRange>> code_named(Target& target, const char* option, const std::vector<std::string>& globs) {
  std::vector<CodeRange> code = find_code(target.modules(), globs);
  if (code.empty())
    return Error{ExitCode::Usage, fmt::format("{}: no function or module of the program matches", option)};
  if (code.size() > kMaxTrusted)
    return Error{ExitCode::Usage, fmt::format("{}: more than {} functions match", option, kMaxTrusted)};
  return code;
}

}  // namespace

TargetOptions target_options(const CampaignOptions& options, const Subject& subject, const StrategyOptions& strategy,
                             const Search& search, const std::shared_ptr<const Deadline>& deadline,
                             const SavedExploration* saved) {
  TargetOptions target;
  target.command = options.command;
  target.runtime_library = subject.runtime_library;
  target.body = subject.body;
  target.isolation = options.isolation;
  target.backend = options.backend;
  target.checkpoints = options.checkpoints;
  target.points = options.points;
  target.timeouts = options.timeouts;
  target.max_delay_ms = options.max_delay_ms;
  target.spurious = options.spurious.value_or(0);
  target.spin_rounds = options.spin_rounds.value_or(kDefaultSpinRounds);
  target.prime = options.prime;
  target.expected_exit = options.expected_exit;
  target.compares_output = options.compares_output();
  target.before_each = options.before_each;
  target.after_each = options.after_each;
  // A checkpoint holds memory only. It does not restore output or anything else outside the program.
  if (target.compares_output || options.runs_commands()) target.checkpoints = CheckpointUse::Off;
  target.input = options.input;
  target.instrumentation = options.instrumentation;
  target.detect_races = options.looks_for_races();
  target.check_locks = options.lock_discipline || options.errors.contains(FindingKind::LockDiscipline) ||
                       search.traits().relies_on_locks;
  target.check_yields = options.errors.contains(FindingKind::Livelock);
  target.find_leaks = options.leaks;
  target.workers = options.workers.value_or(strategy.workers);
  target.queue = options.queue;
  if (!options.queue.empty()) target.program_file = subject.program;
  target.output_folder = options.out;
  target.max_steps = options.steps;
  target.max_records = options.steps == kNoStepLimit ? options.memory_budget / kBytesPerRecord : 2ull * options.steps;
  // A hanging program is reported before a time limit ends the run, even a short one.
  if (options.time) target.watchdog = std::clamp(*options.time / 2, std::chrono::milliseconds(500), target.watchdog);
  target.stop = [deadline] { return deadline->is_overdue(); };
  target.late = [deadline] { return deadline->is_over(); };
  if (saved) target.threads = saved->threads;
  return target;
}

std::optional<Error> choose_code(Target& target, const CampaignOptions& options) {
  if (!options.trusted.empty()) {
    const auto code = code_named(target, "--trust", options.trusted);
    if (!code) return code.error();
    target.trust(*code);
  }
  if (options.preempt_in.empty()) return std::nullopt;
  const auto code = code_named(target, "--preempt-in", options.preempt_in);
  if (!code) return code.error();
  target.preempt_in(*code);
  return std::nullopt;
}

const cpu_set_t& cpus_at_start() {
  static const cpu_set_t cpus = [] {
    cpu_set_t now;
    CPU_ZERO(&now);
    (void)sched_getaffinity(0, sizeof now, &now);
    return now;
  }();
  return cpus;
}

}  // namespace lockstep
