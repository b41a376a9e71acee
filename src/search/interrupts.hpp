// Cancellation and signals between threads.
#pragma once
#include "model/trace.hpp"

namespace lockstep {

// It may end what its target waits for. So what other steps do, and whether they can be run, depends on more than the
// objects they name: executions with the same happens-before order need not be in the same state.
inline bool interrupts_another(const Step& step) {
  return (step.kind == OpKind::Cancel || step.kind == OpKind::Signal) && step.object != wake_token(step.thread);
}

}  // namespace lockstep
