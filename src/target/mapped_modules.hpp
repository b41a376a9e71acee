// The files that are mapped in a process.
#pragma once
#include <sys/types.h>

#include <vector>

#include "target/target.hpp"

namespace lockstep {

std::vector<Module> modules_of(pid_t process);  // ascending; empty if the process has ended

}  // namespace lockstep
