// Functions of the program without instrumentation, whose memory accesses are not seen: detects which of them run
// beside threads.
//
// The driver lists them. Each has a breakpoint on its first byte. A function that is entered while a thread is not
// joined becomes a fact for the driver (FactKind::PlainCode), and its breakpoint is removed permanently. Functions that
// main enters while it is alone are harmless: they lose their breakpoint until the next thread is created. Functions
// that are on main's stack at that moment run beside the thread too: the stack is searched for them.
//
// So an execution only pays for the functions that main enters alone: two bytes written for each, and one stack walk.
#pragma once
#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class PlainFunctions {
 public:
  void init();
  // Between executions: takes over the functions that the driver has added, and those that other processes of this
  // worker have noticed.
  void update(const Channel& channel) {
    if (UNLIKELY(table_->count < channel.plain_count.load(std::memory_order_acquire) ||
                 table_->facts_read < channel.facts.count.load(std::memory_order_acquire)))
      take_over(channel);
  }
  // Main is now alone, or runs beside threads.
  void follow(bool beside_threads) {
    if (beside_threads == table_->armed) return;
    table_->armed = beside_threads;
    if (UNLIKELY(table_->alone_count != 0)) set_alone(beside_threads);
  }
  void first_thread() {  // called before its creation
    if (UNLIKELY(table_->alone_count != 0)) look_at_stack();
    follow(true);
  }
  // Handles a trap whose instruction ended before `pc`. True: it was a breakpoint of this class, and the instruction
  // must be executed again.
  bool handle_trap(uintptr_t pc, uintptr_t stack_pointer);

 private:
  enum class State : uint8_t {
    Ignored,
    Armed,  // has a breakpoint
    Alone,  // armed only beside threads: main has entered it alone
    Ran,    // entered beside threads and noted
  };
  struct Entry {
    uint64_t begin;
    uint32_t size;
    uint8_t kind;
    State state;
    uint8_t byte;  // the first byte of the function
  };
  // Entries of one module, ascending.
  struct Row {
    uint32_t first, end;
  };
  static constexpr unsigned kMaxRows = 64, kMaxNoticed = 512;
  // Breakpoints belong neither to the state of an execution nor to a checkpoint.
  struct Table {
    uint32_t count, row_count, facts_read, noticed, alone_count;
    bool armed;  // the functions in `alone` have their breakpoints, unless hit
    Row row[kMaxRows];
    Entry entry[kMaxPlainFunctions];
    uint32_t alone[kMaxPlainFunctions];
  };

  void take_over(const Channel& channel);
  Entry* find(uintptr_t pc);
  bool add(const PlainFunction& function);
  void set_alone(bool armed);
  void ran(Entry& entry);
  void look_at_stack();
  bool within_framework(const Entry& entry, uintptr_t stack_pointer);

  Table* table_;
};
inline constinit PlainFunctions plain_functions{};
extern const Module plain_functions_module;

}  // namespace lockstep::rt
