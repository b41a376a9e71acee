// Describes where each thread stands at the end.
#include "report/end_states.hpp"

#include <fmt/format.h>
#include <set>

#include "model/waits_for_ever.hpp"
#include "report/operation_text.hpp"
#include "report/user_frames.hpp"
#include "report/wait_text.hpp"

namespace lockstep {
namespace {

std::string place_of(std::span<const uint64_t> stack, const TraceNames& names) {
  const auto frame = innermost_user_frame(stack, names.symbols());
  if (!frame) return {};
  const std::string place = short_place(frame->where);
  return place.empty() ? " in " + short_function(frame->where.function) : " at " + place;
}

// " at bank.cpp:11 in transfer, called at bank.cpp:17 in main".
std::string calls(std::span<const uint64_t> stack, const TraceNames& names) {
  constexpr size_t kDepth = 4;
  std::string text;
  const std::vector<Frame> frames = user_frames(stack, names.symbols());
  for (size_t i = 0; i < frames.size() && i < kDepth; ++i)
    text += (i == 0 ? " at " : ", called at ") + place_in_function(frames[i].where);
  return text;
}

std::string waiting_text(const Step& op, const WaitStory& story, const TraceNames& names) {
  const auto at = story.waiting.find(op.thread);
  return op.kind == OpKind::Reacquire && at != story.waiting.end() ? "wait on " + names.object(at->second)
                                                                   : operation_text(op, names);
}

std::string state_of(ThreadId t, const std::set<ThreadId>& finished, const WaitStory& story, const TraceNames& names) {
  const TraceView trace = names.trace();
  const TraceHeader& header = trace.header();
  const bool fails = header.outcome != Outcome::Ok && !waits_for_ever(header);
  if (t == header.culprit && fails)
    return (header.outcome == Outcome::Livelock ? "runs on" : "failed") + place_of(names.stack_of_failure(), names);
  for (size_t i = 0; i < trace.pending().size(); ++i) {
    const Step& next = trace.pending()[i];
    if (next.thread != t) continue;
    const std::string place = place_of(names.stack_of_pending(i), names);
    if (next.flags & Step::kBlocked) return "waits" + place + ": " + waiting_text(next, story, names);
    return "could go on" + place + ": " + operation_text(next, names);
  }
  return finished.contains(t) || header.outcome == Outcome::Ok ? "finished" : "ended";
}

}  // namespace

std::string end_states(const TraceNames& names) {
  if (names.trace().steps().empty()) return {};
  std::set<ThreadId> threads{kMainThread}, finished;
  for (const Step& step : names.trace().steps()) {
    threads.insert(step.thread);
    if (step.kind == OpKind::Create) threads.insert(step.second.thread());
    if (step.kind == OpKind::ThreadExit) finished.insert(step.thread);
  }
  for (const Step& step : names.trace().pending()) threads.insert(step.thread);
  std::map<std::string, std::vector<ThreadId>> same;  // equal states of several threads become one entry
  std::vector<std::string> order;
  const WaitStory story(names.trace());
  const bool deadlock = names.trace().outcome() == Outcome::Deadlock;
  for (const ThreadId t : threads) {
    const std::string state = state_of(t, finished, story, names);
    if (deadlock && state.starts_with("waits")) continue;  // deadlock_lines() says more
    if (same[state].empty()) order.push_back(state);
    same[state].push_back(t);
  }
  std::string text;
  for (const std::string& state : order) {
    const auto& who = same[state];
    std::string list;
    for (size_t i = 0; i < who.size() && i < 6; ++i) list += (i ? ", " : "") + names.thread(who[i]);
    if (who.size() > 6) list += fmt::format(" and {} more", who.size() - 6);
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", list, state);
  }
  return text;
}

std::vector<std::string> deadlock_lines(const TraceNames& names) {
  const WaitStory story(names.trace());
  std::vector<std::string> lines;
  for (const Step& op : names.trace().pending()) {
    if (!(op.flags & Step::kBlocked)) continue;
    lines.push_back(names.thread(op.thread) + ": " + waiting_text(op, story, names) +
                    calls(names.stack_of_pending(op.thread), names));
    for (const auto& [key, step] : story.taken)
      if (key.first == op.thread)
        lines.push_back(fmt::format("  holds {}, taken{}", names.object(key.second, step),
                                    calls(names.stack_of_step(step), names)));
  }
  return lines;
}

}  // namespace lockstep
