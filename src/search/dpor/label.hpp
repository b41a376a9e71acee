// What a step touches, in 16 bytes: the part of an operation that partial order reduction compares all day long.
#pragma once
#include <cstdint>

#include "analysis/happens_before.hpp"

namespace lockstep::dpor {

struct Label {
  ThreadId thread = kNoThread;
  uint8_t uses = 0;
  bool ends = false;     // ends the process: conflicts with everything others do
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

// What a recorded step did.
inline Label label_of(const HappensBefore::Event& event) {
  Label label;
  label.thread = event.thread;
  label.ends = event.kind == OpKind::ProcessExit;
  for (unsigned i = 0; i < event.uses; ++i) label.add(event.use[i].object, event.use[i].write);
  return label;
}

// Whether it reads or writes depends on what came before it. A try on a readers-writer lock may fail, but what it
// accesses is the same either way.
inline bool is_conditional(OpKind kind, uint8_t flags) {
  return traits(kind).primitive != Primitive::RwLock && flags & (Step::kConditional | Step::kTimed | Step::kTimedOut);
}

// The most it might do in another order: a compare-and-swap that failed here may succeed there. Planned steps need
// this label, or two of them look independent because both failed where they were seen, and an execution is lost.
inline Label strongest(const HappensBefore::Event& event) {
  Label label = label_of(event);
  if (is_conditional(event.kind, event.flags) && label.uses > 0) label.use[0] |= 1;
  // Giving up to wait for a condition changes that condition; whatever touches the token of its broadcasts does so,
  // too.
  if (event.condition != HappensBefore::kNone) label.use[2] = event.condition << 1 | 1;
  return label;
}

}  // namespace lockstep::dpor
