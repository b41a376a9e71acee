// Compares the clock with the deadlines of a command.
#include "campaign/deadline.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
// After an interrupt the command must end within a second.
constexpr milliseconds kGraceAfterInterrupt{150}, kSaveAfterInterrupt{600};

}  // namespace

milliseconds grace_after(milliseconds time) { return std::max(milliseconds(500), time / 20); }

Deadline::Deadline(Clock::time_point began, std::optional<milliseconds> time, std::function<bool()> interrupted,
                   std::optional<Clock::time_point> latest)
    : began_(began), latest_(latest), interrupted_(std::move(interrupted)) {
  if (!time) return;
  end_ = began + *time;
  if (!latest_) latest_ = *end_ + grace_after(*time);
}

bool Deadline::was_interrupted() const {
  if (!interrupted_at_ && interrupted_ && interrupted_()) interrupted_at_ = Clock::now();
  return interrupted_at_.has_value();
}

bool Deadline::is_over() const { return was_interrupted() || (end_ && Clock::now() >= *end_); }

bool Deadline::is_overdue() const { return ended_since(kGraceAfterInterrupt); }

bool Deadline::is_too_late_to_save() const { return ended_since(kSaveAfterInterrupt); }

bool Deadline::ended_since(milliseconds after_interrupt) const {
  if (was_interrupted() && Clock::now() >= *interrupted_at_ + after_interrupt) return true;
  return latest_ && Clock::now() >= *latest_;
}

std::optional<milliseconds> Deadline::left() const {
  if (!end_) return std::nullopt;
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(*end_ - Clock::now()));
}

double Deadline::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

}  // namespace lockstep
