// Trusted code that releases a lock: its thread is not preempted before the release. It is preempted before an
// acquisition, because the beginning of a call into a library is unknown: other threads run before, between and after
// such calls.
#pragma once
#include "runtime/base/runtime.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/process/trusted_code.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

class TrustedRelease {
 public:
  // A thread that has a resumer runs only up to its next operation and waits there: it is not preempted.
  explicit TrustedRelease(const void* caller) : trusted_(is_trusted(caller) && !runtime.current->resumer) {
    if (UNLIKELY(trusted_)) scheduler().forbid_preemption(true);
  }
  ~TrustedRelease() {
    if (UNLIKELY(trusted_)) scheduler().forbid_preemption(false);
  }
  TrustedRelease(const TrustedRelease&) = delete;

 private:
  static bool is_trusted(const void* caller) {
    if (UNLIKELY(trusted_code.any()) && trusted_code.contains(caller)) return true;
    // The runtime implements some functions by others (C11 threads), on behalf of the first one's caller.
    return from_library(caller) && !is_own_code(reinterpret_cast<uintptr_t>(caller));
  }
  bool trusted_;
};

}  // namespace lockstep::rt
