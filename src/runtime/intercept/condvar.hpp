// The module of condition variables.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

extern const Module condition_module;

}  // namespace lockstep::rt
