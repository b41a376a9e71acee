// The malloc family.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

extern const Module memory_module;

}  // namespace lockstep::rt
