// Compares each trace with the previous one and measures the rest.
#include "search/base/trace_meter.hpp"

#include <algorithm>
#include <cstring>

#include "model/schedule.hpp"

namespace lockstep {

// Number of equal records. Sets of threads stored outside the records are not compared, so the prefix ends there.
uint32_t TraceMeter::common_prefix(TraceView trace) {
  const std::span<const Step> steps = trace.steps();
  const size_t most = std::min(steps.size(), steps_.size());
  size_t i = std::min<size_t>(before_this_.shared_with(trace), most);
  // Records have no padding.  NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  while (i < most && std::memcmp(&steps[i], &steps_[i], sizeof(Step)) == 0 && !(steps[i].flags & Step::kWide)) ++i;
  return static_cast<uint32_t>(i);
}

// With a short common prefix, starting anew costs less than undoing.
void TraceMeter::go_back(uint32_t records) {
  if (4 * size_t{records} < steps_.size()) {
    fingerprinter_.begin();
    for (uint32_t i = 0; i < records; ++i) fingerprinter_.add(steps_[i]);
  } else {
    fingerprinter_.truncate(records);
  }
  steps_.resize(records);
  before_.resize(records);
}

void TraceMeter::read(TraceView trace) {
  const std::span<const Step> steps = trace.steps();
  const uint32_t common = common_prefix(trace);
  go_back(common);
  ScheduleCursor cursor(trace, common, preemptions());
  steps_.insert(steps_.end(), steps.begin() + common, steps.end());
  before_.resize(steps.size());
  for (uint32_t* before = before_.data() + common; !cursor.done(); *before++ = cursor.preemptions()) {
    fingerprinter_.add(cursor.step());
    cursor.advance();
  }
}

}  // namespace lockstep
