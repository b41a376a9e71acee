// One operation in words: "lock accounts[0]", "notify_one ready, wakes worker 2".
#pragma once
#include <string>

#include "report/trace_names.hpp"

namespace lockstep {

// What `step` did, or would do if it is pending. `index`: the index of the step; kNoStep: it is pending.
std::string operation_text(const Step& step, const TraceNames& names, uint32_t index = kNoStep);

std::string failure_text(int error);    // ", fails: ENOENT"
std::string io_text(Companion second);  // "input on descriptor 3"; see IoWait

}  // namespace lockstep
