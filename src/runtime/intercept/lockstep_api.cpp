// The functions that <lockstep/lockstep.hpp> calls. They are weak there, so that tests also run without Lockstep.
#include "runtime/base/runtime.hpp"
#include "runtime/sched/scheduler.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int lockstep_rt_controlled() { return controlled(); }
LOCKSTEP_EXPORT int lockstep_rt_choose(int n) {
  if (!controlled() || n <= 1) return 0;
  scheduler().need_room();
  return static_cast<int>(scheduler().pick(static_cast<unsigned>(n)));
}
LOCKSTEP_EXPORT void lockstep_rt_yield() {
  if (controlled()) scheduler().reach(OpKind::Yield, nullptr, Step::kYield);
}
LOCKSTEP_EXPORT void lockstep_rt_atomic_begin() {
  if (controlled()) scheduler().begin_atomic_section();
}
LOCKSTEP_EXPORT void lockstep_rt_atomic_end() {
  if (controlled()) scheduler().end_atomic_section();
}
// An object has the same address in every execution, so the names of all executions share one table.
LOCKSTEP_EXPORT void lockstep_rt_name(const void* object, unsigned long size, const char* name) {
  if (!controlled() || !name) return;
  ObjectNames& names = runtime.thread_table->names;
  while (names.busy.exchange(1, std::memory_order_acquire)) sys(SYS_sched_yield);
  const uint32_t count = names.count.load(std::memory_order_relaxed);
  uint32_t i = 0;
  while (i < count && names.entry[i].address != reinterpret_cast<uint64_t>(object)) ++i;
  if (i < ObjectNames::kMost) {
    ObjectNames::Entry& entry = names.entry[i];
    entry.address = reinterpret_cast<uint64_t>(object);
    entry.size = size;
    format(entry.text, sizeof entry.text, "%s", name);
    if (i == count) names.count.store(count + 1, std::memory_order_release);
  }
  names.busy.store(0, std::memory_order_release);
}
LOCKSTEP_EXPORT void lockstep_rt_require_failed(const char* message, const char* file, int line) {
  if (!controlled()) return;
  char text[512];
  const size_t n = format(text, sizeof text, "%s:%d: required: %s\n", file, static_cast<int64_t>(line), message);
  sys(SYS_write, 2, word(text), static_cast<long>(n));
  format(text, sizeof text, "required: %s", message);
  scheduler().end(Outcome::Assertion, 0, text);
}
