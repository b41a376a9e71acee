// dlopen. A library loaded by an execution would still be there, with its state, in the next; so it is loaded before, as
// part of the state that every execution starts from.
#include <dlfcn.h>

#include "runtime/sched/interrupt.hpp"
#include "runtime/serve/cycle_counter.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMostMissing = 64;
char missing[kMostMissing][256];  // asked for and not found: asking again gives the program its error message
unsigned missing_count;

bool is_missing(const char* file) {
  for (unsigned i = 0; i < missing_count; ++i)
    if (equal(missing[i], file)) return true;
  return false;
}

void* open_now(const char* file, int flags) {
  scheduler().forbid_preemption(true);  // ld.so holds its lock while constructors run
  void* handle = LOCKSTEP_REAL(dlopen)(file, flags);
  scheduler().forbid_preemption(false);
  return handle;
}

void* open_library(const char* file, int flags) {
  if (!file || runtime.isolation != Isolation::Reset || flags & RTLD_NOLOAD || is_missing(file)) return open_now(file, flags);
  if (void* handle = open_now(file, flags | RTLD_NOLOAD)) return handle;
  LibraryWanted& wanted = runtime.library_wanted;
  const size_t size = length(file);
  if (size >= sizeof wanted.file || missing_count == kMostMissing)
    refuse_call("dlopen()", "too many libraries, or too long a name: use --isolation fork");
  copy_bytes(wanted.file, file, size + 1);
  wanted.flags = flags;
  scheduler().end(Outcome::Uncontrolled);  // started over by the worker
}

}  // namespace

void load_library(LibraryWanted& wanted) {
  if (!LOCKSTEP_REAL(dlopen)(wanted.file, wanted.flags)) copy_bytes(missing[missing_count++], wanted.file, length(wanted.file) + 1);
  control_cycle_counter();
}

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT void* dlopen(const char* file, int flags) noexcept {
  return controlled() ? open_library(file, flags) : LOCKSTEP_REAL(dlopen)(file, flags);
}
