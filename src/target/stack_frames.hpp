// The stack frames of a stopped program's threads, unwound with its call frame information. Private to the symbols
// library.
#pragma once
#include <elfutils/libdwfl.h>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "model/inspection.hpp"
#include "target/process_memory.hpp"

namespace lockstep {

inline constexpr unsigned kFrameRegisters = 17;  // in the DWARF numbering of x86-64: rax ... r15, return address

struct StackFrame {
  uint64_t pc = 0;         // in callers the address of the call, not of the next instruction
  uint64_t return_pc = 0;  // where execution continues
  uint64_t cfa = 0;        // canonical frame address; 0: not known
  std::array<uint64_t, kFrameRegisters> registers{};
  std::bitset<kFrameRegisters> known;
};

class StackUnwinder {
 public:
  explicit StackUnwinder(Dwfl* dwfl) : dwfl_(dwfl) {}

  // Innermost first. The frames of threads that have not run since the last call are not unwound again.
  const std::vector<StackFrame>& frames(const ThreadRegisters& thread, const ProcessMemory& memory);
  void has_run(ThreadId thread) { cached_.erase(thread); }

 private:
  struct Cached {
    uint64_t pc, sp;
    std::vector<StackFrame> frames;
  };
  std::vector<StackFrame> unwind(const ThreadRegisters& thread);

  static pid_t next_thread(Dwfl* dwfl, void* self, void** argument);
  static bool get_thread(Dwfl* dwfl, pid_t tid, void* self, void** argument);
  static bool read_memory(Dwfl* dwfl, Dwarf_Addr address, Dwarf_Word* result, void* self);
  static bool set_registers(Dwfl_Thread* thread, void* argument);
  static int visit(Dwfl_Frame* frame, void* frames);

  Dwfl* dwfl_;
  bool attached_ = false, usable_ = true;
  const ThreadRegisters* current_ = nullptr;
  ProcessMemory memory_;
  std::map<ThreadId, Cached> cached_;
};

}  // namespace lockstep
