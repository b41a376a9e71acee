#include "report/progress.hpp"

#include <fmt/format.h>
#include <algorithm>

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

}  // namespace

std::string progress_text(const Progress& progress, const Terminal& terminal) {
  const std::string_view dot = terminal.glyphs().dot;
  std::string text = "  ";
  if (!progress.phase.empty()) text += fmt::format("{:<15}", progress.phase);
  if (progress.estimated_total > 0) {
    text += fmt::format("{} {} of about {}", bar(progress.executions, progress.estimated_total, terminal),
                        with_separators(progress.executions), with_separators(progress.estimated_total));
  } else {
    text += plural(progress.executions, "execution");
  }
  if (progress.seconds > 0)
    text += fmt::format(" {} {}", dot, rate_text(static_cast<double>(progress.executions) / progress.seconds));
  if (progress.bugs > 0) text += fmt::format(" {} {}", dot, plural(progress.bugs, "bug"));
  return fit(text, terminal.width > 1 ? terminal.width - 1 : 1, terminal);
}

void ProgressLine::update(const Progress& progress) {
  if (!enabled_) return;
  fmt::print(out_, "\r{}\033[K", progress_text(progress, terminal_));
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
