// Builds the story of a bug for other programs.
#include "report/bug_story.hpp"

#include <fmt/format.h>

#include "report/story.hpp"
#include "report/story_cells.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

constexpr size_t kFlowRows = 100;

std::vector<FlowStep> flow_of(const Finding& finding, Symbols& symbols) {
  TraceNames names(finding.trace, symbols, &finding.seen);
  std::vector<FlowStep> steps;
  std::string preempted;
  const std::vector<StoryCell> cells = story_table(finding, names, glyphs(true), kFlowRows).cells;
  for (const StoryCell& cell : cells) {
    if (cell.row.kind == StoryRow::Preempted) preempted = names.thread(cell.row.thread);
    if (cell.row.kind == StoryRow::Preempted || cell.row.kind == StoryRow::Skipped) continue;
    FlowStep step{.number = cell.row.number, .thread = names.thread(cell.row.thread), .text = cell.text};
    if (!preempted.empty()) step.text += fmt::format(" (preempts {})", preempted);
    preempted.clear();
    if (!cell.frames.empty()) step.where = cell.frames.front().where;
    step.essential = cell.row.kind != StoryRow::Operation && !(cell.row.kind == StoryRow::Blocked && !cell.row.pending);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

BugStory bug_story(const Finding& finding, Symbols& symbols, const std::string& program) {
  if (finding.trace.empty()) return {};
  return {tell_story(finding, symbols, {.terminal = {}, .program = program}), flow_of(finding, symbols)};
}

}  // namespace lockstep
