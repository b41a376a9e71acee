// A lock that trusted code releases: its thread is not preempted before that. Before an acquisition it is, because
// nobody knows where a call of a library begins: others run before, between and after such calls.
#pragma once
#include "runtime/base/runtime.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/process/trusted_code.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

class TrustedRelease {
 public:
  // A thread that has not been chosen yet, and runs only up to its next operation, waits there: nobody is preempted.
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
    // The runtime implements one function by another (C11 threads), for whoever called the first.
    return from_library(caller) && !is_own_code(reinterpret_cast<uintptr_t>(caller));
  }
  bool trusted_;
};

}  // namespace lockstep::rt
