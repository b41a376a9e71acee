// The functions that the program imports and that the runtime treats specially.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

// Functions that the program's code calls, read from its symbol tables. They decide which operations are steps, so they
// must be the same in every execution.
struct Imports {
  bool cancel;           // pthread_cancel
  bool try_join;         // pthread_tryjoin_np and similar functions
  bool contexts;         // makecontext: stacks that the program makes itself
  bool outside_threads;  // aio_read and similar functions: the C library calls back in threads of its own
  bool runs_commands;    // system, popen, wordexp: the C library starts processes
  const char* openmp;    // an OpenMP function that is not controlled; null: none
};
inline constinit Imports imports{};
Imports find_imports();
extern const Module imports_module;

}  // namespace lockstep::rt
