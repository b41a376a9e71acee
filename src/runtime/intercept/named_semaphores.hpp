// Named semaphores.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

void forget_named_semaphores();  // removes those of the last execution
extern const Module named_semaphores_module;

}  // namespace lockstep::rt
