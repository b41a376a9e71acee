// Builds sentences about needed orders and passing schedules.
#include "report/cause_text.hpp"

#include <fmt/format.h>

#include "report/operation_text.hpp"
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
  if (const auto frame = innermost_user_frame(stack, names.symbols())) result.where = frame->where;
  return result;
}

std::string in_words(const NeededOrder::Told& step) {
  const std::string place = short_place(step.where);
  return fmt::format("{} of {}{}", step.operation, step.thread, place.empty() ? "" : " (" + place + ")");
}

}  // namespace

std::string cause_sentence(const Cause& cause, const StepReference& reference) {
  if (cause.reversed == 0) return {};
  if (cause.orders.empty())
    return fmt::format("Fails in every order tried: {} of conflicting steps reversed, one at a time.",
                       plural(cause.reversed, "pair"));
  std::string text = "Fails because ";
  for (size_t i = 0; i < cause.orders.size() && i < kMostTold; ++i)
    text += fmt::format("{}{} {}before {}", i == 0 ? "" : " and ", reference(cause.orders[i].first),
                        i == 0 ? "comes " : "", reference(cause.orders[i].second));
  if (cause.orders.size() > kMostTold) text += fmt::format(" and {} more orders", cause.orders.size() - kMostTold);
  const size_t count = cause.orders.size();
  return text + (count == 1   ? ": reversed, it passes."
                 : count == 2 ? ": reversing either passes."
                              : ": reversing any one passes.");
}

std::string nearest_passing(const Cause& cause, const TraceNames& names, const StepReference& reference) {
  if (cause.passing.empty()) return {};
  const TraceView passing = cause.passing, failing = names.trace();
  if (cause.departs >= passing.steps().size()) return {};
  const Step& then = passing.steps()[cause.departs];
  const std::string other = fmt::format("{} goes on ({})", names.thread(then.thread), operation_text(then, names));
  if (cause.departs >= failing.steps().size())  // where the failing execution could not continue
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
  finding.cause.text = cause_sentence(finding.cause, [&](uint32_t step) { return step_in_words(step, names); });
}

}  // namespace lockstep
