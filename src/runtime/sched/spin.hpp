// Bare spin loops: a thread that keeps reading the same values from the same places makes no progress. After some
// fruitless repeats a read counts as a yield, so that the others get their turn and the fair scheduler applies.
#pragma once
#include "runtime/root.hpp"

namespace lockstep::rt {

inline constexpr uint32_t kFruitlessRepeats = 40;

inline void note_progress() { runtime.current->spin_repeats = 0; }

// The step just recorded changed nothing and saw `value`.
inline void note_fruitless(Step& step, uint64_t value) {
  Thread& me = *runtime.current;
  const uint64_t key = (static_cast<uint64_t>(step.object) * 31 + value) * 2 + 1;
  if (key == me.spin_key[0] || key == me.spin_key[1] || key == me.spin_key[2] || key == me.spin_key[3]) {
    if (UNLIKELY(++me.spin_repeats >= kFruitlessRepeats)) {
      me.spin_repeats = 0;
      scheduler().count_as_yield(step);
    }
    return;
  }
  me.spin_key[me.spin_next++ & 3] = key;
  me.spin_repeats = 0;
}

}  // namespace lockstep::rt
