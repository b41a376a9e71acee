// Splits schedules into segments and edits them.
#include "search/base/schedule_segments.hpp"

#include <algorithm>

namespace lockstep {
namespace {

template <class List>
auto at(List& list, size_t i) {
  return list.begin() + static_cast<std::ptrdiff_t>(i);
}

constexpr uint64_t kFirstKey = 0x243f6a8885a308d3ull;
uint64_t mixed(uint64_t key, uint64_t word) {
  key = (key ^ word) * 0x9e3779b97f4a7c15ull;
  return key ^ key >> 29;
}

}  // namespace

template <class Edit>
ScheduleSegments ScheduleSegments::edited(Edit&& edit) const {
  ScheduleSegments other = *this;
  edit(other);
  return other;
}

size_t ScheduleSegments::next_of_thread(size_t i) const {
  size_t j = i + 1;
  while (j < size() && segments[j].thread != segments[i].thread) ++j;
  return j;
}

ScheduleSegments ScheduleSegments::without_choice(size_t i) const {
  return edited([i](ScheduleSegments& s) { s.choices.erase(at(s.choices, i)); });
}
ScheduleSegments ScheduleSegments::first(size_t count) const {
  return edited([count](ScheduleSegments& s) { s.segments.resize(count); });
}
ScheduleSegments ScheduleSegments::without(size_t i) const {
  return edited([i](ScheduleSegments& s) { s.segments.erase(at(s.segments, i)); });
}
ScheduleSegments ScheduleSegments::extended(size_t i) const {
  return edited([i](ScheduleSegments& s) { s.segments[i].steps = Segment::kUntilItCannot; });
}

ScheduleSegments ScheduleSegments::moved(size_t from, size_t to) const {
  return edited([from, to](ScheduleSegments& s) {
    if (from < to)
      std::rotate(at(s.segments, from), at(s.segments, from + 1), at(s.segments, to + 1));
    else
      std::rotate(at(s.segments, to), at(s.segments, from), at(s.segments, from + 1));
  });
}

ScheduleSegments ScheduleSegments::joined(size_t i, size_t j) const {
  return edited([i, j](ScheduleSegments& s) {
    const uint64_t steps = uint64_t{s.segments[i].steps} + s.segments[j].steps;
    s.segments[i].steps = static_cast<uint32_t>(std::min<uint64_t>(steps, Segment::kUntilItCannot));
    s.segments.erase(at(s.segments, j));
  });
}

ScheduleSegments ScheduleSegments::coalesced(size_t begin, size_t end, Turn turn) const {
  std::vector<Segment> whole;
  for (size_t n = 0; n < end - begin; ++n) {
    const Segment& segment = segments[turn == Turn::First ? begin + n : end - 1 - n];
    const auto same = [&segment](const Segment& other) { return other.thread == segment.thread; };
    const auto known = std::find_if(whole.begin(), whole.end(), same);
    if (known == whole.end())
      whole.push_back(segment);
    else
      known->steps += std::min(segment.steps, Segment::kUntilItCannot - known->steps);
  }
  if (turn == Turn::Last) std::reverse(whole.begin(), whole.end());
  ScheduleSegments other;
  other.choices = choices;
  const auto add = [&other](const Segment& segment) { other.run(segment.thread, segment.steps); };
  std::for_each(at(segments, 0), at(segments, begin), add);
  std::for_each(whole.begin(), whole.end(), add);
  std::for_each(at(segments, end), segments.end(), add);
  return other;
}

ScheduleSegments segments_of(TraceView trace) {
  ScheduleSegments schedule;
  std::vector<uint32_t> numbers(kMaxThreads, 0);
  for (const Step& step : trace.steps()) {
    if (step.is_note()) continue;
    if (step.is_choice()) {
      const uint32_t number = numbers[index_of(step.thread)]++;
      if (step.taken() != 0) schedule.choices.push_back({step.thread, number, step.taken()});
    } else {
      schedule.run(step.thread, 1);
    }
  }
  return schedule;
}

Plan plan_for(const ScheduleSegments& schedule, uint32_t max_steps) {
  Plan plan;
  plan.policy = Policy::Guided;
  plan.max_steps = max_steps;
  plan.extra = schedule.words();
  return plan;
}

uint64_t hash_of(std::span<const uint64_t> words) {
  uint64_t key = kFirstKey;
  for (const uint64_t word : words) key = mixed(key, word);
  return key;
}

uint64_t hash_of(std::span<const Delta> deltas) {
  uint64_t key = kFirstKey;
  for (const Delta& d : deltas)
    key = mixed(key, uint64_t{d.step} << 32 | uint64_t{d.tentative} << 17 | uint64_t{d.data} << 16 | d.value);
  return key;
}

}  // namespace lockstep
