// The deadline of a command: the end of --time, or shortly after an interrupt.
#pragma once
#include <chrono>
#include <functional>
#include <optional>

namespace lockstep {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // `latest`: the deadline of the command that contains this exploration. `interrupted` is polled.
  Deadline(Clock::time_point began, std::optional<std::chrono::milliseconds> time, std::function<bool()> interrupted,
           std::optional<Clock::time_point> latest = {});

  // True: nothing new is started.
  bool is_over() const;
  // True: work under way is not awaited either. A bug that was found has had time for a replay.
  bool is_overdue() const;
  // True: a save under way is given up, because the command has to end.
  bool is_too_late_to_save() const;
  bool was_interrupted() const;
  std::optional<std::chrono::milliseconds> left() const;  // none: no deadline
  double seconds() const;                                 // since the beginning

 private:
  Clock::time_point began_;
  std::optional<Clock::time_point> end_, latest_;
  std::function<bool()> interrupted_;
  mutable std::optional<Clock::time_point> interrupted_at_;

  bool ended_since(std::chrono::milliseconds after_interrupt) const;
};

// How long after `time` a command may end. The documented limit is the larger of 1 s and 10 % more; the rest of that is
// reserved for ending the processes.
std::chrono::milliseconds grace_after(std::chrono::milliseconds time);

}  // namespace lockstep
