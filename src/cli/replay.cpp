// The command `lockstep replay`: runs a recorded schedule.
#include <fmt/format.h>
#include <map>

#include "campaign/replayer.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/recorded_program.hpp"
#include "model/schedule.hpp"
#include "report/schedule_file.hpp"
#include "report/story.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

class Replay {
 public:
  Replay(const Options& options, const ScheduleFile& recording, bool changed, Target& target, Suppressions suppressions)
      : options_(options),
        recording_(recording),
        changed_(changed),
        target_(target),
        console_(options),
        replayer_(target, options.races, std::move(suppressions), recording.expected_output) {}

  Console& console() { return console_; }

  int repeat() {
    Exploration result;
    result.verdict = Verdict::Pass;
    const auto start = std::chrono::steady_clock::now();
    uint32_t failures = 0;
    for (uint32_t i = 0; i < options_.times; ++i) {
      if (!once(result, failures)) break;
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const std::string& warning : target_.warnings()) console_.warn(warning);
    conclude(result, failures);
    console_.write_results(
        {recording_.program, "replay", name_of(target_.info().isolation), console_.warnings(), {}, stories_}, result);
    if (result.verdict == Verdict::Uncontrolled) return static_cast<int>(ExitCode::Uncontrolled);
    return static_cast<int>(failures > 0 ? ExitCode::Bug : ExitCode::NoBug);
  }

 private:
  // One replay; false if further replays are pointless.
  bool once(Exploration& result, uint32_t& failures) {
    Trace trace;
    Finding recorded = recording_.bug;
    recorded.execution = 1;
    std::optional<Finding> found = replayer_.reproduce(recorded, false, &trace);
    ++result.executions;
    if (trace.empty()) return false;
    count(trace, result);
    if (trace.view().outcome() == Outcome::Uncontrolled) {
      result.verdict = Verdict::Uncontrolled;
      result.uncontrolled = trace.view().message();
      return false;
    }
    const TraceNames names(trace, replayer_.symbols());
    auto departure = first_departure(recording_, record_operations(names), trace.view().header().steps);
    if (departure && !departure->returned && trace.view().outcome() == Outcome::Diverged)
      departure->happened = "not possible";
    if (!found) {
      warn_not_reproduced(departure);
      return true;
    }
    if (failures++ > 0) return true;
    replayer_.observe(*found);
    if (found->kind != recording_.bug.kind)
      console_.warn(fmt::format("the recorded failure was {}, this one is {}", name_of(recording_.bug.kind),
                                name_of(found->kind)));
    else if (departure)
      console_.warn("same failure, but reached by different steps: " + in_words(*departure));
    console_.print(tell_story(*found, replayer_.symbols(), {.terminal = console_.terminal(), .replayed = true}) + "\n");
    console_.annotate(*found);
    if (options_.wants_stories()) stories_[found->fingerprint] = bug_story(*found, replayer_.symbols());
    result.bugs.push_back(std::move(*found));
    result.verdict = Verdict::Bug;
    return true;
  }

  static void count(const Trace& trace, Exploration& result) {
    const TraceHeader& header = trace.view().header();
    result.steps_max = std::max(result.steps_max, header.decisions);
    result.threads_max = std::max(result.threads_max, header.threads);
    result.preemptions_max = std::max(result.preemptions_max, count_preemptions(trace));
  }

  static std::string in_words(const Departure& departure) {
    return fmt::format("operation {} differs: recorded \"{}\", now \"{}\"", with_separators(departure.operation),
                       departure.recorded, departure.happened);
  }

  void warn_not_reproduced(const std::optional<Departure>& departure) {
    std::string text = fmt::format(
        "the failure did not reproduce: {}",
        departure ? in_words(*departure) : "every operation matched the recording, but the program did not fail");
    if (changed_) text += "; the program has changed since it was recorded";
    console_.warn(text);
  }

  void conclude(Exploration& result, uint32_t failures) {
    result.claim.scope = Scope::Sample;
    if (result.verdict == Verdict::Uncontrolled) {
      console_.print(final_lines(result, console_.terminal()));
      return;
    }
    if (options_.quiet) return;
    if (options_.times > 1) {
      console_.print(fmt::format("Failed in {} of {}. ({})\n", with_separators(failures),
                                 plural(result.executions, "replay"), seconds_text(result.seconds)));
    } else if (failures == 0) {
      console_.print(fmt::format("PASS {} the recorded schedule did not fail ({})\n", console_.terminal().glyphs().dash,
                                 seconds_text(result.seconds)));
    }
  }

  const Options& options_;
  const ScheduleFile& recording_;
  const bool changed_;
  Target& target_;
  Console console_;
  Replayer replayer_;
  std::map<std::string, BugStory> stories_;  // by fingerprint
};

}  // namespace

int replay_command(const Options& given, const Services& services) {
  Options options = given;
  Result<RecordedProgram> recording = start_recorded_program(options, services);
  if (!recording) return fail(recording.error());
  Result<Suppressions> suppressions =
      options.suppressions.empty() ? Suppressions() : Suppressions::load(options.suppressions);
  if (!suppressions) return fail(suppressions.error());
  Replay replay(options, recording->schedule, recording->changed, *recording->target, std::move(*suppressions));
  if (recording->changed)
    replay.console().warn(fmt::format("{} has changed since the schedule was recorded", recording->program));
  return replay.repeat();
}

}  // namespace lockstep
