// A label: what a step accesses, in 16 bytes, for the frequent comparisons of partial order reduction.
#pragma once
#include <cstdint>

#include "analysis/happens_before.hpp"

namespace lockstep::dpor {

struct Label {
  ThreadId thread = kNoThread;
  uint8_t uses = 0;
  bool ends = false;     // ends the process: conflicts with every step of other threads
  uint32_t use[3] = {};  // number of the object times two, plus one for a write

  void add(uint32_t object, bool write) { use[uses++] = object << 1 | static_cast<uint32_t>(write); }
};
static_assert(sizeof(Label) == 16);

inline bool dependent(const Label& a, const Label& b) {
  if (a.thread == b.thread || a.ends || b.ends) return true;
  for (unsigned i = 0; i < a.uses; ++i)
    for (unsigned j = 0; j < b.uses; ++j)
      if ((a.use[i] ^ b.use[j]) <= 1 && ((a.use[i] | b.use[j]) & 1)) return true;
  return false;
}

// The label of a recorded step.
inline Label label_of(const HappensBefore::Event& event) {
  Label label;
  label.thread = event.thread;
  label.ends = event.kind == OpKind::ProcessExit;
  for (unsigned i = 0; i < event.uses; ++i) label.add(event.use[i].object, event.use[i].write);
  return label;
}

// True if whether the step writes depends on earlier steps. A try on a readers-writer lock may fail, but it has the
// same accesses either way.
inline bool is_conditional(OpKind kind, uint8_t flags) {
  return traits(kind).primitive != Primitive::RwLock && flags & (Step::kConditional | Step::kTimed | Step::kTimedOut);
}

// The strongest label of the step in any order: a compare-and-swap that failed here may succeed elsewhere. Planned
// steps need this label. Otherwise two steps that both failed where they were seen look independent, and an execution
// is lost.
inline Label strongest(const HappensBefore::Event& event) {
  Label label = label_of(event);
  if (is_conditional(event.kind, event.flags) && label.uses > 0) label.use[0] |= 1;
  // A timeout of a condition wait changes the condition, so it accesses the token of the broadcasts.
  if (event.condition != HappensBefore::kNone) label.use[2] = event.condition << 1 | 1;
  return label;
}

}  // namespace lockstep::dpor
