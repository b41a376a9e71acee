// Results made ready at thread exit (std::promise::set_value_at_thread_exit, packaged_task::make_ready_at_thread_exit).
// libstdc++ does this in its own code, whose atomic operations are not seen: nothing would order the waiting thread
// after the result. So in instrumented programs this file does it, with operations like the program's own.
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"

extern "C" uint32_t __tsan_atomic32_load(const volatile uint32_t*, int);
extern "C" uint32_t __tsan_atomic32_exchange(volatile uint32_t*, uint32_t, int);
extern "C" uint32_t __tsan_atomic32_fetch_sub(volatile uint32_t*, uint32_t, int);
extern "C" int __tsan_atomic32_compare_exchange_strong(volatile uint32_t*, uint32_t*, uint32_t, int, int);

namespace lockstep::rt {
namespace {

// The reference count behind a shared_ptr, in libstdc++ 5 and later.
struct SharedCount {
  void (**functions)(SharedCount*);  // two destructors, dispose, destroy
  uint32_t uses, weaks;

  bool use_if_alive() {
    uint32_t count = __tsan_atomic32_load(&uses, __ATOMIC_RELAXED);
    while (count)
      if (__tsan_atomic32_compare_exchange_strong(&uses, &count, count + 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return true;
    return false;
  }
  void drop_use() {
    if (__tsan_atomic32_fetch_sub(&uses, 1, __ATOMIC_ACQ_REL) != 1) return;
    functions[2](this);
    drop_weak();
  }
  void drop_weak() {
    if (__tsan_atomic32_fetch_sub(&weaks, 1, __ATOMIC_ACQ_REL) == 1) functions[3](this);
  }
};

struct State {  // __future_base::_State_baseV2
  static constexpr uint32_t kReady = 1, kWaited = 0x80000000;
  void* functions;
  void* result;
  uint32_t status;
};

struct MakeReady {  // __future_base::_State_baseV2::_Make_ready
  MakeReady* next;
  void (*run)(void*);
  State* state;
  SharedCount* count;
};

void make_ready(void* p) {
  auto* ready = static_cast<MakeReady*>(p);
  SharedCount* count = ready->count;
  if (count && count->use_if_alive()) {
    uint32_t* status = &ready->state->status;
    if (__tsan_atomic32_exchange(status, State::kReady, __ATOMIC_RELEASE) & State::kWaited)
      syscall(SYS_futex, status, FUTEX_WAKE, INT_MAX);
    count->drop_use();
  }
  if (count) count->drop_weak();
  const auto give_back = reinterpret_cast<void (*)(void*, size_t)>(dlsym(RTLD_DEFAULT, "_ZdlPvm"));
  give_back(p, sizeof *ready);
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

extern "C" void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(MakeReady* ready);

LOCKSTEP_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(MakeReady* ready) {
  LOCKSTEP_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(ready);
  if (controlled() && runtime.instrumented) ready->run = make_ready;
}
