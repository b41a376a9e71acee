// dlopen during an execution: the library is loaded between executions, as part of the initial state, and the execution
// starts over.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

void load_missing_library();
void count_libraries();  // counts the libraries loaded before the program begins
extern const Module library_module;

}  // namespace lockstep::rt
