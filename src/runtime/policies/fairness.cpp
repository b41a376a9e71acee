// The fair scheduler: updates priorities after each step.
#include "runtime/policies/fairness.hpp"

namespace lockstep::rt {

void Fairness::init() { windows_ = static_cast<Window*>(map_pages(sizeof(Window) * kMaxThreads)); }

void Fairness::begin() {
  active_ = false;
  ++generation_;
}

Fairness::Window& Fairness::window(ThreadId t) {
  Window& w = windows_[index_of(t)];
  if (w.generation != generation_) {
    // As if every thread had been scheduled in this window: the first yield of a thread adds no priorities.
    w.generation = generation_;
    w.below.clear(ThreadSet::kWords);
    w.loop = 0;
    w.enabled.clear(ThreadSet::kWords);
    for (unsigned i = 0; i < ThreadSet::kWords; ++i) w.disabled.word[i] = w.scheduled.word[i] = ~0ull;
  }
  return w;
}

void Fairness::step(ThreadId t, bool yielded, uint64_t loop, const ThreadSet& before, const ThreadSet& after,
                    const ThreadSet& live, unsigned words) {
  live.for_each(words, [&](ThreadId u) {
    Window& w = window(u);
    w.below.remove(t);  // scheduling t removes its priority over others
    for (unsigned i = 0; i < words; ++i) w.enabled.word[i] &= after.word[i];
    w.scheduled.add(t);
  });
  Window& mine = window(t);
  for (unsigned i = 0; i < words; ++i) mine.disabled.word[i] |= before.word[i] & ~after.word[i];
  if (!yielded) return;
  if (loop || mine.below.empty(words)) mine.loop = loop;
  for (unsigned i = 0; i < words; ++i) {
    mine.below.word[i] |= (mine.enabled.word[i] | mine.disabled.word[i]) & ~mine.scheduled.word[i] & live.word[i];
    mine.enabled.word[i] = after.word[i];
    mine.disabled.word[i] = mine.scheduled.word[i] = 0;
  }
}

}  // namespace lockstep::rt
