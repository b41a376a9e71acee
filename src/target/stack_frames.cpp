// Unwinds stacks with libdwfl.
#include "target/stack_frames.hpp"

#include <sys/types.h>
#include <unistd.h>

namespace lockstep {
namespace {

constexpr size_t kMostFrames = 64;
constexpr unsigned kDwarfStackPointer = 7;
constexpr pid_t kOnlyThread = 1;  // the thread being unwound is the only one that libdwfl sees

}  // namespace

pid_t StackUnwinder::next_thread(Dwfl*, void* self, void** argument) {
  if (*argument != nullptr) return 0;
  *argument = self;
  return kOnlyThread;
}

bool StackUnwinder::get_thread(Dwfl*, pid_t, void* self, void** argument) {
  *argument = self;
  return true;
}

bool StackUnwinder::read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* self) {
  const auto value = static_cast<StackUnwinder*>(self)->memory_.word(address);
  if (value) *result = *value;
  return value.has_value();
}

bool StackUnwinder::set_registers(Dwfl_Thread* thread, void* argument) {
  const ThreadRegisters& r = *static_cast<StackUnwinder*>(argument)->current_;
  const Dwarf_Word rbx = r.rbx, frame[] = {r.rbp, r.sp}, rest[] = {r.r12, r.r13, r.r14, r.r15, r.pc};
  if (!dwfl_thread_state_registers(thread, 3, 1, &rbx) || !dwfl_thread_state_registers(thread, 6, 2, frame) ||
      !dwfl_thread_state_registers(thread, 12, 5, rest))
    return false;
  dwfl_thread_state_register_pc(thread, r.pc);
  return true;
}

int StackUnwinder::visit(Dwfl_Frame* state, void* out) {
  auto& frames = *static_cast<std::vector<StackFrame>*>(out);
  StackFrame frame;
  bool exact = false;  // the address is not a return address
  if (!dwfl_frame_pc(state, &frame.return_pc, &exact) || frames.size() >= kMostFrames) return DWARF_CB_ABORT;
  frame.pc = exact ? frame.return_pc : frame.return_pc - 1;
  for (unsigned i = 0; i < kFrameRegisters; ++i) {
    Dwarf_Word value = 0;
    if (dwfl_frame_reg(state, i, &value) != 0) continue;
    frame.registers[i] = value;
    frame.known.set(i);
  }
  // On x86-64 the canonical frame address is the caller's stack pointer.
  if (!frames.empty() && frame.known[kDwarfStackPointer]) frames.back().cfa = frame.registers[kDwarfStackPointer];
  frames.push_back(frame);
  return DWARF_CB_OK;
}

std::vector<StackFrame> StackUnwinder::unwind(const ThreadRegisters& thread) {
  static constexpr Dwfl_Thread_Callbacks kCallbacks = {next_thread,   get_thread, read_memory,
                                                       set_registers, nullptr,    nullptr};
  std::vector<StackFrame> frames;
  if (!attached_) usable_ = attached_ = dwfl_attach_state(dwfl_, nullptr, getpid(), &kCallbacks, this);
  if (!usable_) return frames;
  current_ = &thread;
  dwfl_getthread_frames(dwfl_, kOnlyThread, visit, &frames);  // stops at the first frame that cannot be unwound
  return frames;
}

const std::vector<StackFrame>& StackUnwinder::frames(const ThreadRegisters& thread, const ProcessMemory& memory) {
  memory_ = memory;
  Cached& cached = cached_[thread.thread];
  if (cached.frames.empty() || cached.pc != thread.pc || cached.sp != thread.sp)
    cached = {thread.pc, thread.sp, unwind(thread)};
  return cached.frames;
}

}  // namespace lockstep
