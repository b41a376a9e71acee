// Takes and releases mutexes, for all families of calls that do so.
#pragma once
#include <pthread.h>

#include "model/operation.hpp"
#include "runtime/base/module.hpp"

namespace lockstep::rt {

// Takes a mutex as `kind` (Lock, or Reacquire after a condition wait, which also needs `woken`). Returns 0 or
// ETIMEDOUT; for a robust mutex also EOWNERDEAD (it is held) or ENOTRECOVERABLE (it is not held).
int take_mutex(pthread_mutex_t* mutex, OpKind kind, uint8_t flags, Companion second, bool woken);
void free_mutex(pthread_mutex_t* mutex);
extern const Module mutex_module;

}  // namespace lockstep::rt
