// Process and thread ids as the program sees them: the same in every execution and every worker, and different for
// different threads although fibers share one kernel thread.
#pragma once
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

inline constexpr int kVirtualPid = 4'000'000;  // below the kernel's limit of 2^22, above what most systems hand out
inline int virtual_tid(const Thread& t) { return kVirtualPid + static_cast<int>(index_of(t.id)); }

int send_signal(pthread_t handle, int signal);  // 0 or an error number

}  // namespace lockstep::rt
