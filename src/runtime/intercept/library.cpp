// dlopen. A library that an execution loads would remain, with its state, in the next one. So it is loaded between
// executions, as part of the initial state of every execution.
#include "runtime/intercept/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/sched/cycle_counter.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMostMissing = 64;
constinit struct {
  char not_found[kMostMissing][256];  // requested and not found: another request gives the program its error message
  unsigned not_found_count;
  unsigned initial;  // modules loaded when the program began
} loaded{};

// The driver needs to know code that was not loaded when the program began.
void record_libraries() {
  struct Walk {
    unsigned number;
  } walk{};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        if (static_cast<Walk*>(data)->number++ < loaded.initial) return 0;
        Channel& channel = *runtime.channel;
        const uint32_t count = channel.libraries.load(std::memory_order_relaxed);
        const size_t size = length(info->dlpi_name);
        for (uint32_t i = 0; i < count && i < kMaxLibraries; ++i)
          if (equal(channel.library[i], info->dlpi_name)) return 0;
        if (count < kMaxLibraries && size < sizeof channel.library[0])
          copy_bytes(channel.library[count], info->dlpi_name, size + 1);
        if (count <= kMaxLibraries) channel.libraries.store(count + 1, std::memory_order_release);
        return 0;
      },
      &walk);
}

bool is_missing(const char* file) {
  for (unsigned i = 0; i < loaded.not_found_count; ++i)
    if (equal(loaded.not_found[i], file)) return true;
  return false;
}

void* open_now(const char* file, int flags) {
  scheduler().forbid_preemption(true);  // ld.so holds its lock while constructors run
  void* handle = LOCKSTEP_REAL(dlopen)(file, flags);
  scheduler().forbid_preemption(false);
  if (handle && file && !(flags & RTLD_NOLOAD)) record_libraries();
  return handle;
}

void* open_library(const char* file, int flags) {
  if (!file || runtime.isolation != Isolation::Reset || flags & RTLD_NOLOAD || is_missing(file))
    return open_now(file, flags);
  if (void* handle = open_now(file, flags | RTLD_NOLOAD)) return handle;
  auto& wanted = missing.library;
  const size_t size = length(file);
  if (size >= sizeof wanted.file || loaded.not_found_count == kMostMissing)
    refuse_call("dlopen()", "too many libraries, or a name is too long; use --isolation fork");
  copy_bytes(wanted.file, file, size + 1);
  wanted.flags = flags;
  scheduler().end(Outcome::Uncontrolled);  // the worker starts over
}

}  // namespace

void load_missing_library() {
  const auto& wanted = missing.library;
  if (!LOCKSTEP_REAL(dlopen)(wanted.file, wanted.flags))
    copy_bytes(loaded.not_found[loaded.not_found_count++], wanted.file, length(wanted.file) + 1);
  record_libraries();
  control_cycle_counter();
}

void count_libraries() {
  loaded.initial = 0;
  dl_iterate_phdr([](dl_phdr_info*, size_t, void*) { return loaded.initial++, 0; }, nullptr);
}

const Module library_module = {
    .name = "libraries loaded by the program",
    .start = count_libraries,
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT void* dlopen(const char* file, int flags) noexcept {
  return controlled() ? open_library(file, flags) : LOCKSTEP_REAL(dlopen)(file, flags);
}
