// Calls of functions that --trust names are atomic sections: other threads run before, between and after them. Calls of
// functions that --preempt-in names are the opposite: a thread is preempted only in them.
//
// Each such function has a breakpoint on its first byte. When it is called, the place it returns to gets a breakpoint
// too. So the program needs no recompilation, and a function that is left by a tail call stays in the section until the
// callee returns. A section that an exception or longjmp leaves ends at the thread's next operation.
#pragma once
#include <signal.h>
#include <ucontext.h>

#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

class TrustedSections {
 public:
  void update(const Channel& channel) {
    if (UNLIKELY(channel.trusted_version.load(std::memory_order_acquire) != version_)) arm_functions(channel);
  }
  bool any() const { return table_ && table_->count != 0; }
  // Handles a trap: a breakpoint of this class, or the single step behind one. False: another trap.
  bool handle_trap(const siginfo_t* info, ucontext_t* context);
  // Has the running thread left, by exception or longjmp, the call that began with this stack pointer?
  bool was_left(uintptr_t stack_pointer) const;

 private:
  static constexpr uint32_t kSlots = 1 << 16;
  struct Site {
    uint64_t address;
    uint8_t byte;          // the byte of the program
    bool trusted, chosen;  // entry of such a function; neither: a return address
  };
  // Breakpoints belong neither to the state of an execution nor to a checkpoint.
  struct Table {
    uint32_t count;
    Site slot[kSlots];  // open addressing by address
  };

  void arm_functions(const Channel& channel);
  bool arm(uint64_t address, bool trusted = false, bool chosen = false);
  Site* find(uint64_t address) const;
  void enter(Thread& me, uint64_t stack_pointer);
  void leave(Thread& me);
  void enter_chosen(Thread& me, uint64_t stack_pointer);
  void trap_at(const Site& site, Thread& me, uint64_t stack_pointer);

  Table* table_;
  Site* stepped_over_;  // without its breakpoint for one instruction
  uint32_t version_;
};
inline constinit TrustedSections trusted_sections{};
extern const Module trusted_sections_module;

}  // namespace lockstep::rt
