// Unwinds the stack of the running thread.
#include "runtime/process/backtrace.hpp"

#include <link.h>
#include <unwind.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {
namespace {

struct Walk {
  uint64_t* out;
  size_t count, most;
  bool whole;
};

// The frame between a signal handler and the code that it interrupted: mov $15, %rax; syscall.
bool is_signal_return(uintptr_t pc) {
#if defined(__x86_64__)
  constexpr uint8_t kReturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
  return pc && __builtin_memcmp(reinterpret_cast<const void*>(pc), kReturn, sizeof kReturn) == 0;
#else
  return false;
#endif
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  int before_instruction = 0;
  uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
  if (!pc || walk.count == walk.most) return _URC_END_OF_STACK;
  if (is_own_code(pc) && _Unwind_GetRegionStart(context) == reinterpret_cast<uintptr_t>(&lockstep_thread_entry))
    walk.whole = true;
  if (is_own_code(pc) || is_signal_return(pc)) return _URC_NO_REASON;
  walk.out[walk.count++] = pc + (before_instruction ? 1 : 0);  // a return address in all cases: users subtract one
  return _URC_NO_REASON;
}

struct CallerWalk {
  CallerState& state;
  Walk path;
};

_Unwind_Reason_Code visit_caller(_Unwind_Context* context, void* data) {
  int interrupted = 0;
  const uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
  if (is_own_code(pc) || is_signal_return(pc)) return _URC_NO_REASON;
  auto& [out, path] = *static_cast<CallerWalk*>(data);
  path.out[path.count++] = pc;
  const _Unwind_Reason_Code next = path.count == path.most || !pc ? _URC_END_OF_STACK : _URC_NO_REASON;
  if (path.count > 1) return next;
  out.pc = pc;
  out.stack_pointer = _Unwind_GetCFA(context);
#if defined(__x86_64__)
  constexpr int kCalleeSaved[] = {3, 6, 12, 13, 14, 15}, kStackPointer = 7;  // rbx, rbp, r12-r15
#else
  constexpr int kCalleeSaved[] = {19, 20, 21, 22, 23, 29}, kStackPointer = 31;
#endif
  // At a call the other registers are free.
  for (uint64_t& value : out.registers) value = 0;
  if (interrupted)
    for (int i = 0; i < kRegisters; ++i) out.registers[i] = i == kStackPointer ? 0 : _Unwind_GetGR(context, i);
  else
    for (const int i : kCalleeSaved) out.registers[i] = _Unwind_GetGR(context, i);
  return next;
}

}  // namespace

size_t caller_state(CallerState& out, uint64_t* path, size_t most) {
  Uncontrolled guard;
  out.pc = 0;
  CallerWalk walk{out, {path, 0, most, false}};
  _Unwind_Backtrace(visit_caller, &walk);
  return walk.path.count;
}

bool caller_state(CallerState& out) {
  uint64_t pc;
  caller_state(out, &pc, 1);
  return out.pc != 0;
}

size_t backtrace(uint64_t* out, size_t most, bool* whole) {
  Uncontrolled guard;
  Walk walk{out, 0, most, false};
  _Unwind_Backtrace(visit, &walk);
  if (whole) *whole = walk.whole;
  return walk.count;
}

}  // namespace lockstep::rt
