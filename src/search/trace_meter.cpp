#include "search/trace_meter.hpp"

#include <algorithm>
#include <cstring>

#include "model/schedule.hpp"

namespace lockstep {

// Of equal records. Sets of threads that lie elsewhere are not compared, so it ends where they begin.
uint32_t TraceMeter::common_prefix(std::span<const Step> steps) const {
  const size_t most = std::min(steps.size(), steps_.size());
  size_t i = 0;
  while (i < most && std::memcmp(&steps[i], &steps_[i], sizeof(Step)) == 0 && !(steps[i].flags & Step::kWide)) ++i;
  return static_cast<uint32_t>(i);
}

void TraceMeter::read(TraceView trace) {
  const std::span<const Step> steps = trace.steps();
  const uint32_t common = common_prefix(steps);
  fingerprinter_.truncate(common);
  steps_.resize(common);
  before_.resize(common);
  ScheduleCursor cursor(trace, common, preemptions());
  steps_.insert(steps_.end(), steps.begin() + common, steps.end());
  for (; !cursor.done(); before_.push_back(cursor.preemptions())) {
    fingerprinter_.add(cursor.step());
    cursor.advance();
  }
}

}  // namespace lockstep
