// What intercepts of different families share.
#pragma once
#include <pthread.h>

#include "model/operation.hpp"

namespace lockstep::rt {

// Takes a mutex as `kind` (Lock, or Reacquire after a condition wait, which also needs `woken`). 0, ETIMEDOUT, or of a
// robust mutex EOWNERDEAD (and it is held) or ENOTRECOVERABLE (and it is not).
int take_mutex(pthread_mutex_t* mutex, OpKind kind, uint8_t flags, Companion second, bool woken);
void free_mutex(pthread_mutex_t* mutex);
void abandon_mutexes();  // the running thread ends while it holds robust mutexes

}  // namespace lockstep::rt
