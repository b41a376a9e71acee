#include "report/story_cells.hpp"

#include <fmt/format.h>

#include "report/operation_text.hpp"
#include "report/race_text.hpp"
#include "report/summary.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

std::string blocked_text(Step step, const StoryRow& row, TraceNames& names, const Glyphs& glyphs) {
  step.flags = static_cast<uint8_t>((step.flags | Step::kBlocked) & ~Step::kTimedOut);  // as it looked then
  std::string text = operation_text(step, names) + " " + std::string(glyphs.ellipsis) + " ";
  if (step.kind == OpKind::Join || row.blockers.empty()) return text + "waits";
  if (row.blockers.front() == row.thread) return text + "holds it already";
  text += names.thread(row.blockers.front());
  if (row.blockers.size() > 1) return text + fmt::format(" and {} more hold it", row.blockers.size() - 1);
  return text + " holds it";
}

StoryCell cell_of(StoryRow row, const Finding& finding, TraceNames& names, const Glyphs& glyphs) {
  StoryCell cell{std::move(row), "", "", {}};
  const StoryRow& r = cell.row;
  std::span<const uint64_t> stack;
  if (r.kind == StoryRow::Operation || r.kind == StoryRow::Blocked) {
    const Step& step = r.pending ? names.trace().pending()[r.index] : names.trace().steps()[r.index];
    stack = r.pending ? names.stack_of_pending(r.index) : names.stack_of_step(r.index);
    cell.text = r.kind == StoryRow::Operation ? operation_text(step, names) : blocked_text(step, r, names, glyphs);
    if (r.waits) cell.text += fmt::format(" {} waits", glyphs.ellipsis);
  } else if (r.kind == StoryRow::Racing) {
    const RaceAccess& access = r.index == 0 ? finding.race->first : finding.race->second;
    stack = stack_of(access, names);
    cell.text = fmt::format("{} {}", glyphs.cross, access_text(access, names));
  } else if (r.kind == StoryRow::Failure) {
    stack = names.stack_of_failure();
    cell.text = fmt::format("{} {}", glyphs.cross, name_of(finding.kind));
  } else if (r.kind == StoryRow::Skipped) {
    cell.text = fmt::format("{} {} more steps", glyphs.ellipsis, with_separators(r.count));
  }
  cell.frames = user_frames(stack, names.symbols());
  if (auto frame = innermost_user_frame(stack, names.symbols())) cell.place = short_place(frame->where);
  return cell;
}

}  // namespace

std::vector<StoryCell> story_cells(const Finding& finding, TraceNames& names, const Glyphs& glyphs, size_t row_limit) {
  std::vector<StoryCell> cells;
  const DataRace* race = finding.race ? &*finding.race : nullptr;
  for (StoryRow& row : telling_rows(all_rows(finding.trace, race), finding.trace, row_limit))
    cells.push_back(cell_of(std::move(row), finding, names, glyphs));
  return cells;
}

}  // namespace lockstep
