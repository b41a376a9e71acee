// Child processes.
#pragma once
#include <time.h>

#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"

namespace lockstep::rt {

void end_children();  // ends those that the execution has not waited for
inline bool has_children() { return runtime.has_children; }
bool child_lives();    // queries the kernel
bool has_processes();  // any children, also those that the C library has started itself: popen. Queries the kernel
// Waits briefly for an effect of a child process: whether it is visible must not depend on the child's speed.
template <class Done>
void await_children(Done done) {
  for (int waited = 0; waited < 50 && !done(); ++waited) {
    timespec pause{0, 1'000'000};
    sys(SYS_nanosleep, word(&pause), 0);
  }
}
// The word of a lock or semaphore has changed: a child process that shares it may sleep on it.
void wake_sleeping_children(const uint32_t* word);
inline void wake_children(const uint32_t* word) {
  if (UNLIKELY(has_children())) wake_sleeping_children(word);
}
extern const Module processes_module;

}  // namespace lockstep::rt
