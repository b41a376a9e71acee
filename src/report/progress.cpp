// Formats and rewrites the progress line.
#include "report/progress.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "report/summary.hpp"

namespace lockstep {
namespace {

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f}M/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.0f}k/s", per_second / 1e3);
  return fmt::format("{:.0f}/s", per_second);
}

std::string bar(uint64_t done, uint64_t total, const Terminal& terminal) {
  constexpr uint64_t kWidth = 16;
  const uint64_t filled = std::min(kWidth, done * kWidth / std::max<uint64_t>(total, 1));
  std::string text;
  for (uint64_t i = 0; i < kWidth; ++i) text += i < filled ? (terminal.utf8 ? "▇" : "#") : (terminal.utf8 ? " " : ".");
  return text;
}

std::string time_left_text(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s left", whole);
  if (whole < 3600) return fmt::format("{} min left", (whole + 30) / 60);
  if (whole < 100 * 3600) return fmt::format("{} h {} min left", whole / 3600, whole / 60 % 60);
  return fmt::format("{} days left", with_separators(whole / 86400));
}

// "5 workers on 2 machines, 4 % idle, 3 units waiting"; empty if no machine helps through a queue.
std::string machines_text(const Progress& progress) {
  if (progress.machines.empty()) return {};
  unsigned workers = 0;
  double busy = 0, seconds = 0;
  for (const MachineStatus& machine : progress.machines) {
    workers += machine.workers;
    busy += machine.busy;
    seconds += machine.seconds;
  }
  const double idle = seconds > 0 ? std::clamp(1 - busy / seconds, 0.0, 1.0) : 0;
  return fmt::format("{} on {}, {:.0f} % idle, {} waiting", plural(workers, "worker"),
                     plural(progress.machines.size(), "machine"), 100 * idle, plural(progress.units_waiting, "unit"));
}

}  // namespace

// On a narrow terminal parts are left out: first the bar, then the rate, the phase and the estimates.
std::string progress_text(const Progress& progress, const Terminal& terminal) {
  const std::string dot = fmt::format(" {} ", terminal.glyphs().dot);
  const size_t width = terminal.width > 1 ? terminal.width - 1 : 1;
  const bool known = progress.estimated_total > 0;
  std::string text;
  for (int less = 0; less <= 5; ++less) {
    text = "  ";
    if (!progress.phase.empty() && less < 3) text += fmt::format("{:<15}", progress.phase);
    if (known && less < 1) text += bar(progress.executions, progress.estimated_total, terminal) + " ";
    if (known && less < 5)
      text += fmt::format("{} of about {}", with_separators(progress.executions),
                          with_separators(progress.estimated_total));
    else
      text += plural(progress.executions, "execution");
    if (progress.seconds > 0 && less < 2)
      text += dot + rate_text(static_cast<double>(progress.executions) / progress.seconds);
    if (const std::string machines = machines_text(progress); !machines.empty() && less < 1) text += dot + machines;
    if (progress.bugs > 0) text += dot + plural(progress.bugs, "bug");
    if (progress.seconds_left && less < 4) text += dot + time_left_text(*progress.seconds_left);
    if (columns(text) <= width) return text;
  }
  return fit(text, width, terminal);
}

void ProgressLine::update(const Progress& progress) {
  if (!enabled_) return;
  Terminal now = terminal_;
  // The window may have been resized.
  if (const auto width = window_width(fileno(out_))) now.width = std::min(now.width, *width);
  fmt::print(out_, "\r{}\033[K", progress_text(progress, now));
  std::fflush(out_);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace lockstep
