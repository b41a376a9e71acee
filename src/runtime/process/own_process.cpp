// Wakes readers of rings, sets crash stacks, and refuses programs that cannot be controlled.
#include "runtime/process/own_process.hpp"

#include <signal.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"

namespace lockstep::rt {

void ring_bell(Ring& ring) {
  ring.reader_sleeps.store(0, std::memory_order_relaxed);
  ring.bell.fetch_add(1, std::memory_order_release);
  futex_wake(&ring.bell);
}

void use_crash_stack() {
  constexpr size_t kSize = 128 << 10;
  stack_t stack{};
  stack.ss_sp = map_unsaved_pages(kSize);
  stack.ss_size = kSize;
  LOCKSTEP_REAL(sigaltstack)(&stack, nullptr);
}

void refuse(const char* why) {
  if (Channel* channel = runtime.channel) {
    size_t n = length(why);
    if (n > sizeof channel->text) n = sizeof channel->text;
    copy_bytes(channel->text, why, n);
    channel->text_bytes.store(static_cast<uint32_t>(n), std::memory_order_release);
    channel->state.store(WorkerState::Refused, std::memory_order_release);
    ring_bell(channel->traces);
  }
  sys(SYS_exit_group, 98);
  __builtin_unreachable();
}

}  // namespace lockstep::rt
