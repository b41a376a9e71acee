// Chooses the records of a long execution that are replayed with stacks.
#include "campaign/told_records.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace lockstep {
namespace {

constexpr uint32_t kAround = 10;  // records told before and after one that matters

std::vector<uint32_t> steps_of(const Finding& finding) {
  std::vector<uint32_t> steps = finding.steps;
  if (finding.race) steps.insert(steps.end(), {finding.race->first.step, finding.race->second.step});
  for (const LockNesting& nesting : finding.lock_cycle) steps.insert(steps.end(), {nesting.held_step, nesting.step});
  return steps;
}

// Where the last switches between threads are.
void add_switches(std::span<const Step> steps, std::vector<uint32_t>& wanted) {
  constexpr size_t kMost = 200;
  size_t found = 0;
  for (auto i = static_cast<uint32_t>(steps.size()); i-- > 1 && found < kMost;)
    if (steps[i].thread != steps[i - 1].thread) {
      wanted.push_back(i);
      ++found;
    }
}

// Where each lock was taken last.
void add_locks(std::span<const Step> steps, std::vector<uint32_t>& wanted) {
  constexpr size_t kMost = 1000;
  std::map<ObjectId, uint32_t> taken;
  for (uint32_t i = 0; i < steps.size(); ++i)
    if (is_acquire(steps[i].kind) && (taken.size() < kMost || taken.contains(steps[i].object)))
      taken[steps[i].object] = i;
  for (const auto& [lock, step] : taken) wanted.push_back(step);
}

// For each of these records, the one before it of the same thread: after that the thread came to this step, and there
// its stack is taken. And the last record of each thread, after which it came to where it is in the end.
std::vector<uint32_t> arrivals_at(std::span<const Step> steps, const std::vector<uint32_t>& wanted) {
  std::vector<uint32_t> arrivals;
  std::map<ThreadId, uint32_t> last;
  auto next = wanted.begin();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    for (; next != wanted.end() && *next <= i; ++next)
      if (const auto found = last.find(steps[i].thread); found != last.end()) arrivals.push_back(found->second);
    last[steps[i].thread] = i;
  }
  for (const auto& [thread, step] : last) arrivals.push_back(step);
  return arrivals;
}

std::vector<RecordRange> joined(std::vector<RecordRange> ranges) {
  std::ranges::sort(ranges, {}, &RecordRange::from);
  std::vector<RecordRange> result;
  for (const RecordRange& range : ranges) {
    if (!result.empty() && range.from <= result.back().to)
      result.back().to = std::max(result.back().to, range.to);
    else
      result.push_back(range);
  }
  return result;
}

}  // namespace

std::vector<RecordRange> told_records(TraceView trace, const Finding& finding) {
  constexpr uint32_t kEnd = 10'000;
  const auto steps = trace.steps();
  const auto size = static_cast<uint32_t>(steps.size());
  std::vector<uint32_t> wanted = steps_of(finding);
  add_switches(steps, wanted);
  add_locks(steps, wanted);
  std::ranges::sort(wanted);
  std::vector<RecordRange> ranges{{size - std::min(size, kEnd), kNoStep}};
  for (const uint32_t step : wanted) ranges.push_back({step - std::min(step, kAround), step + kAround});
  for (const uint32_t step : arrivals_at(steps, wanted)) ranges.push_back({step, step + 2});
  return joined(std::move(ranges));
}

}  // namespace lockstep
