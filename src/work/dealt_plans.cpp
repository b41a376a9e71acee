#include "work/dealt_plans.hpp"

namespace lockstep {

void DealtPlans::add_here(const Plan& plan) {
  here_.submit(plan);
  plans_.emplace_back();
}

void DealtPlans::add_to(const std::shared_ptr<Batch>& unit, const Plan& plan, bool is_checked) {
  plans_.push_back({unit, static_cast<uint32_t>(unit->plans.size()), is_checked, {}});
  unit->plans.push_back(plan);
  if (is_checked) here_.submit(plan);
}

std::optional<TraceView> DealtPlans::next_here(const Interrupted& interrupted) {
  const std::optional<TraceView> trace = here_.next(interrupted);
  if (trace) plans_.pop_front();
  return trace;
}

bool DealtPlans::read_here(Dealt& dealt, const Interrupted& interrupted) {
  if (dealt.here) return true;
  const std::optional<TraceView> trace = here_.next(interrupted);
  if (trace) dealt.here.emplace(*trace);
  return trace.has_value();
}

// Whatever is given to a process here next has no trace before its own. A target that lost control has forgotten what
// came after that: the search will end there, so it does not matter what stands for it.
bool DealtPlans::drain(const Interrupted& interrupted) {
  std::optional<Trace> end;
  for (Dealt& dealt : plans_) {
    if (!dealt.runs_here()) continue;
    if (end) dealt.here = end;
    if (!read_here(dealt, interrupted)) return false;
    if (!end && dealt.here->view().outcome() == Outcome::Uncontrolled) end = dealt.here;
  }
  if (end) here_.cancel();
  return true;
}

bool DealtPlans::repeat(Dealt& dealt) {
  if (!drain(nullptr)) return false;
  here_.submit(dealt.unit->plans[dealt.index]);
  return read_here(dealt, nullptr);
}

bool DealtPlans::run_here(const Batch* unit, const Interrupted& interrupted) {
  if (!drain(interrupted)) return false;
  for (Dealt& dealt : plans_) {
    if (!dealt.unit || (unit ? dealt.unit.get() != unit : dealt.unit->is_answered())) continue;
    if (!dealt.here) here_.submit(dealt.unit->plans[dealt.index]);
    dealt.unit = nullptr;  // who calls this holds the unit
    dealt.is_checked = false;
  }
  return true;
}

std::vector<std::shared_ptr<Batch>> DealtPlans::split(const Batch& unit) {
  std::vector<std::shared_ptr<Batch>> parts;
  for (Dealt& dealt : plans_) {
    if (dealt.unit.get() != &unit) continue;
    auto part = std::make_shared<Batch>();
    part->plans.push_back(unit.plans[dealt.index]);
    dealt.unit = part;
    dealt.index = 0;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace lockstep
