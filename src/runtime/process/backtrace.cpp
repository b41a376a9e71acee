#include "runtime/process/backtrace.hpp"

#include <link.h>
#include <unwind.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"

namespace lockstep::rt {
namespace {

struct Range {
  uintptr_t begin, end;
} own_code;

constexpr unsigned kMaxLibraries = 32;
Range libraries[kMaxLibraries];
unsigned library_count;

// The code of this library, by looking for the module that contains one of its functions.
void find_own_code() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
          const uintptr_t probe = reinterpret_cast<uintptr_t>(&find_own_code);
          if (probe >= begin && probe < end) own_code = {begin, end};
        }
        return 0;
      },
      nullptr);
}

struct Walk {
  uint64_t* out;
  size_t count, most;
  bool whole;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  int before_instruction = 0;
  uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
  if (!pc || walk.count == walk.most) return _URC_END_OF_STACK;
  if (pc >= own_code.begin && pc < own_code.end &&
      _Unwind_GetRegionStart(context) == reinterpret_cast<uintptr_t>(&lockstep_thread_entry))
    walk.whole = true;
  if (pc >= own_code.begin && pc < own_code.end) return _URC_NO_REASON;
  walk.out[walk.count++] = pc + (before_instruction ? 1 : 0);  // always a return address: users subtract one
  return _URC_NO_REASON;
}

struct CallerWalk {
  CallerState& state;
  Walk path;
};

_Unwind_Reason_Code visit_caller(_Unwind_Context* context, void* data) {
  const uintptr_t pc = _Unwind_GetIP(context);
  if (pc >= own_code.begin && pc < own_code.end) return _URC_NO_REASON;
  auto& [out, path] = *static_cast<CallerWalk*>(data);
  path.out[path.count++] = pc;
  const _Unwind_Reason_Code next = path.count == path.most || !pc ? _URC_END_OF_STACK : _URC_NO_REASON;
  if (path.count > 1) return next;
  out.pc = pc;
  out.stack_pointer = _Unwind_GetCFA(context);
#if defined(__x86_64__)
  constexpr int kCalleeSaved[] = {3, 6, 12, 13, 14, 15};  // rbx, rbp, r12-r15
#else
  constexpr int kCalleeSaved[] = {19, 20, 21, 22, 23, 29};
#endif
  for (int i = 0; i < 6; ++i) out.registers[i] = _Unwind_GetGR(context, kCalleeSaved[i]);
  return next;
}

}  // namespace

bool is_own_code(uintptr_t pc) {
  if (!own_code.begin) find_own_code();
  return pc >= own_code.begin && pc < own_code.end;
}

size_t caller_state(CallerState& out, uint64_t* path, size_t most) {
  Uncontrolled guard;
  if (!own_code.begin) find_own_code();
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

void find_unwinder() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        for (int i = 0; contains(info->dlpi_name, "libgcc_s") && i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
          runtime.unwinder_begin = info->dlpi_addr + segment.p_vaddr;
          runtime.unwinder_size = segment.p_memsz;
        }
        return 0;
      },
      nullptr);
}

void find_libraries() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        if (!is_system_module(info->dlpi_name) || !info->dlpi_name[0]) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || library_count == kMaxLibraries) continue;
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          libraries[library_count++] = {begin, begin + segment.p_memsz};
          const uintptr_t end = begin + segment.p_memsz;
          const uintptr_t known_end = runtime.libraries_begin + runtime.libraries_size;
          if (!runtime.libraries_begin || begin < runtime.libraries_begin) runtime.libraries_begin = begin;
          runtime.libraries_size = (end > known_end ? end : known_end) - runtime.libraries_begin;
        }
        return 0;
      },
      nullptr);
}

// The call before this return address goes where a register or an object says. Libraries call each other's functions by
// name; so that was a callback of the program, which jumped on to what it called last (a tail call).
static bool calls_back(const uint8_t* after) {
#if defined(__x86_64__)
  const bool by_name = after[-5] == 0xe8 || (after[-6] == 0xff && after[-5] == 0x15);
  return !by_name;
#else
  return (*reinterpret_cast<const uint32_t*>(after - 4) & 0xfffffc1f) == 0xd63f0000;
#endif
}

bool lies_in_library(const void* caller) {
  const uintptr_t pc = reinterpret_cast<uintptr_t>(caller);
  for (unsigned i = 0; i < library_count; ++i)
    if (pc >= libraries[i].begin + 8 && pc < libraries[i].end) return !calls_back(static_cast<const uint8_t*>(caller));
  return false;
}

bool is_library_code(const void* code) {
  const uintptr_t pc = reinterpret_cast<uintptr_t>(code);
  for (unsigned i = 0; i < library_count; ++i)
    if (pc >= libraries[i].begin && pc < libraries[i].end) return true;
  return false;
}

size_t backtrace(uint64_t* out, size_t most, bool* whole) {
  Uncontrolled guard;
  if (!own_code.begin) find_own_code();
  Walk walk{out, 0, most, false};
  _Unwind_Backtrace(visit, &walk);
  if (whole) *whole = walk.whole;
  return walk.count;
}

}  // namespace lockstep::rt
