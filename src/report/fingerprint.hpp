// The fingerprint of a bug: the same bug has the same value in every run.
#pragma once
#include <string>

#include "report/trace_names.hpp"

namespace lockstep {

// 16 hex digits from the kind and, for each thread involved, the function, file and line of its innermost user
// frame. Independent of thread numbers, addresses, the execution number and the folder of the sources.
std::string fingerprint_of(const Finding& finding, const TraceNames& names);

}  // namespace lockstep
