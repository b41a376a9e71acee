#include "search/base/schedule_segments.hpp"

#include <algorithm>

namespace lockstep {
namespace {

template <class List>
auto at(List& list, size_t i) {
  return list.begin() + static_cast<std::ptrdiff_t>(i);
}

constexpr uint64_t kSeed = 0x243f6a8885a308d3ull;
uint64_t mixed(uint64_t key, uint64_t word) {
  key = (key ^ word) * 0x9e3779b97f4a7c15ull;
  return key ^ key >> 29;
}

}  // namespace

size_t Outline::next_of_thread(size_t i) const {
  size_t j = i + 1;
  while (j < size() && stretches[j].thread != stretches[i].thread) ++j;
  return j;
}

Outline Outline::without_choice(size_t i) const {
  Outline other = *this;
  other.choices.erase(at(other.choices, i));
  return other;
}

Outline Outline::first(size_t count) const {
  Outline other = *this;
  other.stretches.resize(count);
  return other;
}

Outline Outline::without(size_t i) const {
  Outline other = *this;
  other.stretches.erase(at(other.stretches, i));
  return other;
}

Outline Outline::drawn_out(size_t i) const {
  Outline other = *this;
  other.stretches[i].steps = Stretch::kUntilItCannot;
  return other;
}

Outline Outline::moved(size_t from, size_t to) const {
  Outline other = *this;
  auto& all = other.stretches;
  if (from < to)
    std::rotate(at(all, from), at(all, from + 1), at(all, to + 1));
  else
    std::rotate(at(all, to), at(all, from), at(all, from + 1));
  return other;
}

Outline Outline::joined(size_t i, size_t j) const {
  Outline other = *this;
  uint32_t& steps = other.stretches[i].steps;
  steps = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{steps} + stretches[j].steps, Stretch::kUntilItCannot));
  other.stretches.erase(at(other.stretches, j));
  return other;
}

Outline outline_of(TraceView trace) {
  Outline outline;
  std::vector<uint32_t> numbers(kMaxThreads, 0);
  for (const Step& step : trace.steps()) {
    if (step.is_note()) continue;
    if (step.is_choice()) {
      const uint32_t number = numbers[index_of(step.thread)]++;
      if (step.taken() != 0) outline.choices.push_back({step.thread, number, step.taken()});
    } else {
      outline.run(step.thread, 1);
    }
  }
  return outline;
}

Plan plan_for(const Outline& outline, uint32_t max_steps) {
  Plan plan;
  plan.policy = Policy::Guided;
  plan.max_steps = max_steps;
  plan.extra = outline.words();
  return plan;
}

uint64_t hash_of(std::span<const uint64_t> words) {
  uint64_t key = kSeed;
  for (const uint64_t word : words) key = mixed(key, word);
  return key;
}

uint64_t hash_of(std::span<const Delta> deltas) {
  uint64_t key = kSeed;
  for (const Delta& d : deltas)
    key = mixed(key, uint64_t{d.step} << 32 | uint64_t{d.tentative} << 17 | uint64_t{d.data} << 16 | d.value);
  return key;
}

}  // namespace lockstep
