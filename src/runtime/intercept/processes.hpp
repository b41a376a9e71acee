#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

void end_children();  // those the execution has not waited for
bool has_children();
extern const Module processes_module;

}  // namespace lockstep::rt
