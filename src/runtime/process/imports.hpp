#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

// What the program's code calls, read from its symbol tables: decides what has to be a step, and must therefore be
// the same in every execution.
struct Imports {
  bool cancel;           // pthread_cancel
  bool try_join;         // pthread_tryjoin_np and the like
  bool contexts;         // makecontext: stacks of its own making
  bool outside_threads;  // aio_read and the like: the C library calls back in threads of its own
  bool runs_commands;    // system, popen, wordexp: the C library starts processes for it
  const char* openmp;    // a function of OpenMP that is not controlled; null: none
};
inline constinit Imports imports{};
Imports find_imports();
extern const Module imports_module;

}  // namespace lockstep::rt
