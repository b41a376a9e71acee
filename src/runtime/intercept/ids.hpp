// Scheduling priorities of the process.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

extern const Module priority_module;

}  // namespace lockstep::rt
