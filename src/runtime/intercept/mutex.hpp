// Taking and releasing mutexes, for the families that do.
#pragma once
#include <pthread.h>

#include "model/operation.hpp"
#include "runtime/base/module.hpp"

namespace lockstep::rt {

// Takes a mutex as `kind` (Lock, or Reacquire after a condition wait, which also needs `woken`). 0, ETIMEDOUT, or of a
// robust mutex EOWNERDEAD (and it is held) or ENOTRECOVERABLE (and it is not).
int take_mutex(pthread_mutex_t* mutex, OpKind kind, uint8_t flags, Companion second, bool woken);
void free_mutex(pthread_mutex_t* mutex);
extern const Module mutex_module;

}  // namespace lockstep::rt
