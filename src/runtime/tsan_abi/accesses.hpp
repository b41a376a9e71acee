// The entry points for plain accesses.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

extern const Module access_module;

}  // namespace lockstep::rt
