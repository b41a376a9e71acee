// OpenMP: teams of controlled threads.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

extern const Module openmp_module;

}  // namespace lockstep::rt
