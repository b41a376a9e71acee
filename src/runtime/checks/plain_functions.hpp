// Functions of the program without instrumentation, whose memory accesses nobody sees: which of them run beside
// threads?
//
// The driver says where they are. Each has a breakpoint on its first byte. A function that is entered while there is a
// thread that main has not joined is a fact for the driver (FactKind::PlainCode), and its breakpoint is gone for good.
// What main enters while it is alone does no harm: such a function loses its breakpoint until the next thread is
// created. Functions that main is in at that moment run beside the thread, too; they are looked for on its stack.
//
// So an execution costs nothing but what main enters alone: two bytes written for each such function, and a walk up the
// stack.
#pragma once
#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class PlainFunctions {
 public:
  void init();
  // Between executions: takes over what the driver has found since, and what other processes of this worker have
  // noticed.
  void update(const Channel& channel) {
    if (UNLIKELY(table_->count < channel.plain_count.load(std::memory_order_acquire) ||
                 table_->facts_read < channel.facts.count.load(std::memory_order_acquire)))
      take_over(channel);
  }
  // Main is alone, or goes on beside threads.
  void follow(bool beside_threads) {
    if (beside_threads == table_->armed) return;
    table_->armed = beside_threads;
    if (UNLIKELY(table_->alone_count != 0)) set_alone(beside_threads);
  }
  void first_thread() {  // will be created by the caller
    if (UNLIKELY(table_->alone_count != 0)) look_at_stack();
    follow(true);
  }
  // A trap whose instruction ended before `pc`: true if it was a breakpoint of ours, to be executed again.
  bool handle_trap(uintptr_t pc, uintptr_t stack_pointer);

 private:
  enum class State : uint8_t {
    Ignored,
    Armed,  // has a breakpoint
    Alone,  // has one only beside threads: main has entered it alone
    Ran,    // noticed
  };
  struct Entry {
    uint64_t begin;
    uint32_t size;
    uint8_t kind;
    State state;
    uint8_t byte;  // its first one
  };
  // Ascending entries.
  struct Row {
    uint32_t first, end;
  };
  static constexpr unsigned kMaxRows = 64, kMaxNoticed = 512;
  // The breakpoints are no state of an execution, and no part of a checkpoint.
  struct Table {
    uint32_t count, row_count, facts_read, noticed, alone_count;
    bool armed;  // those in `alone` have their breakpoints, as long as they have not been hit
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
