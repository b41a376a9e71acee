// Finds the real function behind an intercepted name.
#pragma once
#include <dlfcn.h>

#include "runtime/base/system.hpp"

#define LOCKSTEP_REAL(name)                                                                           \
  ([] {                                                                                               \
    static decltype(&::name) function;                                                                \
    if (UNLIKELY(!function)) function = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name)); \
    return function;                                                                                  \
  }())
