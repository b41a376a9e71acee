// The files that a campaign writes: schedules of its bugs and its own state.
#include <fmt/format.h>

#include "campaign/campaign.hpp"
#include "campaign/code_places.hpp"
#include "report/schedule_file.hpp"

namespace lockstep {

namespace fs = std::filesystem;

std::optional<Error> Campaign::save_schedule_of(const Finding& finding) {
  std::error_code error;
  fs::create_directories(options_.out, error);
  if (error) return Error{ExitCode::Usage, fmt::format("cannot create {}: {}", options_.out, error.message())};
  const TraceNames names(finding.trace, replayer_.symbols());
  ScheduleFile schedule;
  schedule.program = options_.command;
  schedule.cwd = fs::current_path(error).string();
  schedule.build = identify_program(subject_.program);
  schedule.isolation = target_->info().isolation;
  schedule.backend = options_.backend;
  schedule.points = options_.points;
  schedule.timeouts = options_.timeouts;
  schedule.spin_rounds = options_.spin_rounds.value_or(kDefaultSpinRounds);
  schedule.max_delay_ms = max_delay_ms_;
  schedule.spurious = spurious_;
  schedule.expected_exit = options_.expected_exit;
  schedule.compares_output = options_.compares_output();
  schedule.expected_output = options_.expected_output;
  schedule.explore_call = options_.explore_call;
  schedule.promoted = places_of(target_->modules(), promotion_.in_use().places);
  if (options_.input) schedule.input = options_.input->bytes(kRecordedInput);
  schedule.bug = finding;
  schedule.threads = target_->threads();
  schedule.operations = record_operations(names);
  schedule.operations_total = finding.trace.view().header().steps;
  return save_schedule(schedule, finding.schedule);
}

void Campaign::save_exploration(const std::function<void(StateWriter&)>& state) {
  std::error_code ignored;
  for (fs::path folder = options_.out; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path())
    made_.push_back(folder);
  fs::create_directories(options_.out, ignored);
  const SavedExploration run{options_.arguments,
                             options_.environment,
                             fs::current_path(ignored).string(),
                             identify_program(subject_.program),
                             target_->threads(),
                             promotion_.in_use(),
                             promotion_.found(),
                             executions_before_,
                             seconds_so_far(),
                             reported_,
                             warnings_before_,
                             raced_before_,
                             bug_number_,
                             starts_,
                             coverage_,
                             {}};
  const std::optional<Error> error = save_exploration_file(run, state, saved_exploration_path(options_.out),
                                                           [this] { return deadline_->is_too_late_to_save(); });
  if (error) listener_.warn(error->message + "; the previous save is kept");
  has_saved_state_ = has_saved_state_ || !error;
}

// A finished search needs no resuming. If the last save failed, the previous saved state is kept.
bool Campaign::keep_saved_state(const Exploration& result) {
  const bool goes_on = options_.keep_going && (result.interrupted() || !result.uncontrolled.empty());
  if (!result.claim.finished && (result.bugs.empty() || goes_on)) return has_saved_state_;
  std::error_code ignored;
  remove_saved_exploration(saved_exploration_path(options_.out));
  if (fs::is_empty(options_.out, ignored) && !ignored) fs::remove(options_.out, ignored);
  for (const fs::path& folder : made_) fs::remove(folder, ignored);  // fails for a folder that is not empty
  return false;
}

}  // namespace lockstep
