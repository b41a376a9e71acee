// Calls on ids, names, affinity and priority of threads.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

extern const Module priority_module;

}  // namespace lockstep::rt
