// Makes rdtsc and rdtscp fault and emulates them.
#include "runtime/sched/cycle_counter.hpp"

#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "runtime/base/runtime.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/process/imports.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {
#if defined(__x86_64__)
namespace {

bool trapped;

// The length of the instruction, or 0. Also matches bytes in the middle of other instructions: they never fault, so
// they cost nothing.
size_t counter_instruction(const unsigned char* code) {
  if (code[0] != 0x0f) return 0;
  if (code[1] == 0x31) return 2;                      // rdtsc
  return code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0;  // rdtscp
}

bool mentions_counter(const unsigned char* code, size_t size) {
  const unsigned char* end = code + size;
  for (const unsigned char* at = code; at + 3 <= end; ++at) {
    at = static_cast<const unsigned char*>(memchr(at, 0x0f, static_cast<size_t>(end - 2 - at)));
    if (!at) return false;
    if (counter_instruction(at)) return true;
  }
  return false;
}

int look_into_module(dl_phdr_info* info, size_t, void*) {
  if (is_system_module(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !(segment.p_flags & PF_R)) continue;
    if (mentions_counter(reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr), segment.p_filesz))
      return 1;
  }
  return 0;
}

bool trap(bool on) {
  trapped = sys(SYS_prctl, PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE) == 0 && on;
  return trapped;
}

uint64_t real_counter() {
  const ReleasedCycleCounter released;
  return __builtin_ia32_rdtsc();
}

}  // namespace

// A process that the C library starts for system() and the like would inherit the setting and die at its first such
// instruction.
void control_cycle_counter() {
  if (trapped || !dl_iterate_phdr(look_into_module, nullptr)) return;
  if (imports.runs_commands || !trap(true)) notice(FactKind::CycleCounter);  // the driver searches the code
}

void release_cycle_counter() {
  if (trapped) trap(false);
}

ReleasedCycleCounter::ReleasedCycleCounter() : was_(trapped) { release_cycle_counter(); }
ReleasedCycleCounter::~ReleasedCycleCounter() {
  if (was_) trap(true);
}

bool handle_cycle_counter(void* raw_context) {
  if (!trapped) return false;
  greg_t* registers = static_cast<ucontext_t*>(raw_context)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const size_t size = counter_instruction(code);
  if (!size) return false;
  // The C library and the vDSO read real time, and only where the program does not depend on it.
  const bool program = controlled() && !is_library_code(code);
  if (program) notice(FactKind::CycleCounter, code + size);
  const uint64_t value = program ? virtual_clock.read(self(), CLOCK_MONOTONIC) : real_counter();
  registers[REG_RAX] = static_cast<greg_t>(value & 0xffff'ffff);
  registers[REG_RDX] = static_cast<greg_t>(value >> 32);
  if (size == 3) registers[REG_RCX] = 0;  // the processor's number
  registers[REG_RIP] += static_cast<greg_t>(size);
  return true;
}
#else
void control_cycle_counter() {}
void release_cycle_counter() {}
ReleasedCycleCounter::ReleasedCycleCounter() : was_(false) {}
ReleasedCycleCounter::~ReleasedCycleCounter() = default;
bool handle_cycle_counter(void*) { return false; }
#endif

const Module cycle_counter_module = {
    .name = "cycle counter",
    .start = control_cycle_counter,
};

}  // namespace lockstep::rt
