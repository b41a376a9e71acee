// Breakpoints on the functions that --trust and --preempt-in name.
#include "runtime/sched/trusted_sections.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/code_patches.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/process/preemptible_code.hpp"
#include "runtime/process/trusted_code.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
#if defined(__x86_64__)
void TrustedSections::arm_functions(const Channel& channel) {
  version_ = channel.trusted_version.load(std::memory_order_acquire);
  if (!table_) table_ = static_cast<Table*>(map_unsaved_pages(sizeof(Table)));
  for (uint32_t i = 0; i < trusted_code.count(); ++i) {
    const uint64_t begin = trusted_code.function(i).begin;
    if (!is_own_code(begin) && !from_library(reinterpret_cast<const void*>(begin))) arm(begin, true);
  }
  for (uint32_t i = 0; i < preemptible_code.count(); ++i) {
    const uint64_t begin = preemptible_code.function(i).begin;
    if (!is_own_code(begin)) arm(begin, false, true);
  }
}

TrustedSections::Site* TrustedSections::find(uint64_t address) const {
  uint64_t slot = address * 0x9e3779b97f4a7c15ull >> 48;
  while (table_->slot[slot].address && table_->slot[slot].address != address) slot = (slot + 1) % kSlots;
  return &table_->slot[slot];
}

// Adds a breakpoint. A breakpoint that is already in the code is not ours.
bool TrustedSections::arm(uint64_t address, bool trusted, bool chosen) {
  Site& site = *find(address);
  site.trusted |= trusted;
  site.chosen |= chosen;
  if (site.address) return true;
  if (table_->count >= kSlots * 3 / 4 || !make_code_writable(address, address + 1)) return false;
  const uint8_t byte = *reinterpret_cast<const uint8_t*>(address);
  if (byte == kBreakpoint) return false;
  site = {address, byte, trusted, chosen};
  ++table_->count;
  write_code_byte(address, kBreakpoint);
  return true;
}

void TrustedSections::enter(Thread& me, uint64_t stack_pointer) {
  if (me.section_sp && stack_pointer > me.section_sp) leave(me);
  if (me.section_sp) return;  // called from trusted code
  if (!arm(*reinterpret_cast<const uint64_t*>(stack_pointer))) return;
  scheduler().begin_atomic_section();
  me.section_sp = stack_pointer;
}

void TrustedSections::leave(Thread& me) {
  me.section_sp = 0;
  scheduler().end_atomic_section();
}

void TrustedSections::enter_chosen(Thread& me, uint64_t stack_pointer) {
  if (me.chosen_sp && stack_pointer <= me.chosen_sp) return;  // called from chosen code
  me.chosen_sp = arm(*reinterpret_cast<const uint64_t*>(stack_pointer)) ? stack_pointer : 0;
}

void TrustedSections::trap_at(const Site& site, Thread& me, uint64_t stack_pointer) {
  if (site.trusted) enter(me, stack_pointer);
  if (site.chosen) enter_chosen(me, stack_pointer);
  if (site.trusted || site.chosen) return;
  if (me.section_sp && stack_pointer > me.section_sp) leave(me);
  if (me.chosen_sp && stack_pointer > me.chosen_sp) me.chosen_sp = 0;
}

bool TrustedSections::was_left(uintptr_t stack_pointer) const {
  CallerState caller;
  return caller_state(caller) && caller.stack_pointer > stack_pointer;
}

bool TrustedSections::handle_trap(const siginfo_t* info, ucontext_t* context) {
  if (!any()) return false;
  greg_t* registers = context->uc_mcontext.gregs;
  if (info->si_code != SI_KERNEL) {
    if (!stepped_over_) return false;
    write_code_byte(stepped_over_->address, kBreakpoint);
    stepped_over_ = nullptr;
    registers[REG_EFL] &= ~kTrapFlag;
    return true;
  }
  Site* site = find(static_cast<uint64_t>(registers[REG_RIP]) - 1);
  if (!site->address) return false;
  --registers[REG_RIP];
  if (runtime.running && controlled()) trap_at(*site, *runtime.current, static_cast<uint64_t>(registers[REG_RSP]));
  // No other thread runs before the instruction is done.
  write_code_byte(site->address, site->byte);
  stepped_over_ = site;
  registers[REG_EFL] |= kTrapFlag;
  return true;
}

#else
#error "port: breakpoints on trusted functions"
#endif

const Module trusted_sections_module = {
    .name = "calls of trusted functions",
    .update = [] { trusted_sections.update(*runtime.channel); },
};

}  // namespace lockstep::rt
