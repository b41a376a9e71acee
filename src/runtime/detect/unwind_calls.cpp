// Puts the stack of the running thread into the call tree.
#include "runtime/base/trace_limits.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/process/backtrace.hpp"

namespace lockstep::rt {

uint64_t unwind_calls() {
  uint64_t stack[kDeepest];
  const CallNode* node = nullptr;
  for (size_t n = backtrace(stack, kDeepest); n-- > 0;) node = call_tree.child(node, stack[n]);
  return reinterpret_cast<uint64_t>(node);
}

}  // namespace lockstep::rt
