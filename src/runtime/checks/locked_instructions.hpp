// Atomic instructions in the program's own instrumented code that are no calls of the instrumentation: inline
// assembler, functions with no_sanitize. Each is a scheduling point and synchronises like a seq_cst operation.
//
// The driver lists them. Each has a breakpoint. A thread that arrives waits for its turn; then the instruction runs as
// it is, as a single step, and its effect is compared. While main is alone they have no breakpoints.
//
// Instrumented accesses to the same memory are atomic, too (detect/locked_words.hpp). A store that is no instrumented
// access, such as the mov of an unlock in assembler, shows because the memory has changed: it may have released
// anything, so it orders everything before it, and the function is named as one whose accesses are not seen.
#pragma once
#include <signal.h>
#include <ucontext.h>

#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/detect/locked_words.hpp"

namespace lockstep::rt {

class LockedInstructions {
 public:
  void init();
  void update(const Channel& channel) {  // takes over those that the driver has added
    if (UNLIKELY(table_->taken < channel.locked_count.load(std::memory_order_acquire))) take_over(channel);
  }
  bool any() const { return table_ && table_->taken != 0; }
  void begin();  // an execution
  void arm();    // main will not be alone any more
  // Handles a trap: a breakpoint of this class, or the single step behind one. False: another trap.
  bool handle_trap(const siginfo_t* info, ucontext_t* context);
  // An instrumented access that is about to happen. True: it is an atomic operation on such memory, and done here.
  bool access(uintptr_t address, unsigned size, bool write, const void* pc) {
    LockedWords::Word* word = locked_words.find(address, LockedWords::bytes_of(address, size));
    if (LIKELY(!word)) return false;
    access_word(*word, address, size, write, pc);
    return true;
  }

 private:
  struct Site {
    LockedInstruction instruction;
    uint8_t byte;  // the byte of the program
    bool armed;
  };
  // Breakpoints belong neither to the state of an execution nor to a checkpoint.
  struct Table {
    uint32_t taken;
    bool any_unarmed;
    Site site[kMaxLocked];
    uint16_t slot[2 * kMaxLocked];  // 1 + index of a site; open addressing by address
  };
  // The instruction that runs as a single step.
  struct Current {
    Site* site;
    Step* step;         // null: it is no scheduling point
    uintptr_t address;  // of the operand
    uint64_t before;
  };

  void take_over(const Channel& channel);
  Site* find(uint64_t address) const;
  void arrive(Site& site, ucontext_t* context);
  void finish(ucontext_t* context);
  void access_word(LockedWords::Word& word, uintptr_t address, unsigned size, bool write, const void* pc);
  void look_for_unseen_store(LockedWords::Word& word, const void* place);

  Table* table_;
  Current current_;
};
inline constinit LockedInstructions locked_instructions{};
extern const Module locked_instructions_module;

}  // namespace lockstep::rt
