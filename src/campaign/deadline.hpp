// When a command has to end: at the end of --time, or soon after an interrupt.
#pragma once
#include <chrono>
#include <functional>
#include <optional>

namespace lockstep {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // `latest`: the end of a command that this is a part of. `interrupted` is asked again and again.
  Deadline(Clock::time_point began, std::optional<std::chrono::milliseconds> time, std::function<bool()> interrupted,
           std::optional<Clock::time_point> latest = {});

  // Nothing new is begun.
  bool is_over() const;
  // Not even what was begun is waited for: a found bug has had its chance to be replayed.
  bool is_overdue() const;
  bool was_interrupted() const;
  std::optional<std::chrono::milliseconds> left() const;  // none: no limit
  double seconds() const;                                 // since the beginning

 private:
  Clock::time_point began_;
  std::optional<Clock::time_point> end_, latest_;
  std::function<bool()> interrupted_;
  mutable std::optional<Clock::time_point> interrupted_at_;
};

// How long after `time` a command may end: it is promised to take at most the larger of 1 s and 10 % more, and
// ending, once everybody has given up, takes a part of that.
std::chrono::milliseconds grace_after(std::chrono::milliseconds time);

}  // namespace lockstep
