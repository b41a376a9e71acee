// Builds sentences about needed orders and passing schedules.
#include "report/cause_text.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "report/operation_text.hpp"
#include "report/race_text.hpp"
#include "report/summary.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

constexpr size_t kMostTold = 4;

// Pending operations have the indices after the steps.
const Step& step_at(TraceView trace, uint32_t index) {
  const size_t steps = trace.steps().size();
  return index < steps ? trace.steps()[index] : trace.pending()[index - steps];
}

NeededOrder::Told told(uint32_t index, const TraceNames& names) {
  const TraceView trace = names.trace();
  const Step& step = step_at(trace, index);
  const bool pending = index >= trace.steps().size();
  const auto stack = pending ? names.stack_of_pending(index - trace.steps().size()) : names.stack_of_step(index);
  NeededOrder::Told result{names.thread(step.thread), operation_text(step, names, pending ? kNoStep : index), {}};
  if (traits(step.kind).primitive == Primitive::Condition)  // "notify_one ready, nobody waits"
    result.operation = result.operation.substr(0, result.operation.find(", "));
  if (const auto frame = innermost_user_frame(stack, names.symbols())) result.where = frame->where;
  return result;
}

// What the thread of `then` does next in the failing execution, if it is the same.
uint32_t same_step_later(const Step& then, TraceView failing, uint32_t from) {
  const auto end = static_cast<uint32_t>(failing.steps().size() + failing.pending().size());
  for (uint32_t i = from; i < end; ++i) {
    const Step& step = step_at(failing, i);
    if (step.thread != then.thread || step.is_note()) continue;
    return step.kind == then.kind && step.object == then.object ? i : kNoStep;
  }
  return kNoStep;
}

std::string in_words(const NeededOrder::Told& step) {
  const std::string place = short_place(step.where);
  return fmt::format("{} of {}{}", step.operation, step.thread, place.empty() ? "" : " (" + place + ")");
}

// One order alone does not matter, but a switch does.
std::string needed_switch(const Cause& cause, const TraceNames& names, const StepReference& reference) {
  const auto failing = names.trace().steps();
  const uint32_t next = std::min<uint32_t>(cause.departs, static_cast<uint32_t>(failing.size()));
  uint32_t last = next;
  while (last-- > 0 && (failing[last].is_note() || failing[last].is_choice())) {
  }
  if (last == kNoStep) return {};
  const ThreadId other = cause.passing.view().steps()[cause.departs].thread;
  if (failing[last].thread == other)
    return fmt::format("Fails because {} is preempted after {}: if it goes on there, it passes.", names.thread(other),
                       reference(last));
  const std::string instead = next < failing.size() ? names.thread(failing[next].thread) + " goes on" : "it ends";
  return fmt::format("Fails because {} after {}: if {} goes on there, it passes.", instead, reference(last),
                     names.thread(other));
}

}  // namespace

std::string cause_sentence(const Cause& cause, const TraceNames& names, const StepReference& reference) {
  if (cause.orders.empty() && !cause.passing.empty() && cause.unordered.empty())
    if (std::string text = needed_switch(cause, names, reference); !text.empty()) return text;
  if (cause.reversed == 0 && cause.left_out == 0)
    return cause.searched ? "No order tried: no two conflicting steps of this execution can be reversed." : "";
  if (cause.reversed == 0)
    return fmt::format("Not known: no execution with one of {} of conflicting steps reversed came to an end.",
                       plural(cause.left_out, "pair"));
  if (cause.orders.empty())
    return fmt::format("Fails in every order tried: {} of conflicting steps reversed, one at a time.",
                       plural(cause.reversed, "pair"));
  std::vector<std::pair<std::string, std::string>> orders;  // several steps may be one row
  for (const NeededOrder& order : cause.orders) {
    std::pair told{reference(order.first), reference(order.second)};
    if (std::find(orders.begin(), orders.end(), told) == orders.end()) orders.push_back(std::move(told));
  }
  const size_t count = orders.size();
  std::string text = "Fails because ";
  for (size_t i = 0; i < count && i < kMostTold; ++i) {
    text += i == 0 ? orders[i].first + " comes" : (i + 1 == count ? " and " : ", ") + orders[i].first;
    text += " before " + orders[i].second;
  }
  if (count > kMostTold) text += fmt::format(" and {} more", count - kMostTold);
  return text + (count == 1   ? ": reversed, it passes."
                 : count == 2 ? ": reversing either passes."
                              : ": reversing any one passes.");
}

std::string nearest_passing(const Cause& cause, const TraceNames& names, const StepReference& reference) {
  if (cause.passing.empty() || (cause.orders.empty() && !cause.unordered.empty())) return {};
  const TraceView passing = cause.passing, failing = names.trace();
  if (cause.departs >= passing.steps().size()) return {};
  const Step& then = passing.steps()[cause.departs];
  const uint32_t later = same_step_later(then, failing, cause.departs);
  const bool numbered = later != kNoStep && reference(later).starts_with("step ");
  const std::string other =
      names.thread(then.thread) + " goes on" +
      (numbered ? " with " + reference(later) : fmt::format(" ({})", operation_text(then, names)));
  if (cause.departs >= failing.steps().size())  // where the failing execution could not go on
    return fmt::format("Nearest passing schedule: the same, but then {}.", other);
  const Step& instead = failing.steps()[cause.departs];
  return fmt::format("Nearest passing schedule: the same up to {}, but instead of {} there {}.",
                     reference(cause.departs), names.thread(instead.thread), other);
}

std::string step_in_words(uint32_t step, const TraceNames& names) { return in_words(told(step, names)); }

void explain_cause(Finding& finding, Symbols& symbols) {
  const TraceNames names(finding.trace, symbols, &finding.seen);
  for (NeededOrder& order : finding.cause.orders) {
    order.told_first = told(order.first, names);
    order.told_second = told(order.second, names);
  }
  finding.cause.unordered = unordered_accesses(finding, names);
  const std::string orders =
      cause_sentence(finding.cause, names, [&](uint32_t step) { return step_in_words(step, names); });
  const bool tried = finding.cause.reversed + finding.cause.left_out > 0;
  if (finding.cause.unordered.empty())
    finding.cause.text = orders;
  else
    finding.cause.text = finding.cause.unordered + (tried ? " " + orders : "");
}

}  // namespace lockstep
