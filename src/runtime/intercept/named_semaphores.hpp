#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

void forget_named_semaphores();  // those of the last execution
extern const Module named_semaphores_module;

}  // namespace lockstep::rt
