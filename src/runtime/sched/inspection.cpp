// Detailed executions: records what each step read and wrote, and stops for the driver.
#include "runtime/sched/inspection.hpp"

#include <sys/uio.h>

#include "runtime/base/settings.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

constexpr size_t kMostValues = 1u << 20;  // steps; later ones have no values

bool has_values(uint32_t index) { return index < kMostValues; }

// Reads through the kernel, because the memory may be unmapped.
bool read_memory(ObjectId object, unsigned size, uint64_t& out) {
  out = 0;
  iovec local{&out, size}, remote{reinterpret_cast<void*>(object), size};
  return sys(SYS_process_vm_readv, sys(SYS_getpid), word(&local), 1, word(&remote), 1, 0) == static_cast<long>(size);
}

// The registers that lockstep_switch saved on the stack of a fiber.
void registers_of(const Thread& t, ThreadRegisters& out) {
  const auto* saved = static_cast<const uint64_t*>(t.stack_pointer);
  out.r15 = saved[1];
  out.r14 = saved[2];
  out.r13 = saved[3];
  out.r12 = saved[4];
  out.rbx = saved[5];
  out.rbp = saved[6];
  out.pc = saved[7];
  out.sp = reinterpret_cast<uint64_t>(saved + 8);
}

__attribute__((always_inline)) inline void own_registers(ThreadRegisters& out) {
#if defined(__x86_64__)
  asm volatile(
      "lea 0f(%%rip), %%rax\n0:\n"
      "mov %%rax, 0(%0)\n mov %%rsp, 8(%0)\n mov %%rbx, 16(%0)\n mov %%rbp, 24(%0)\n"
      "mov %%r12, 32(%0)\n mov %%r13, 40(%0)\n mov %%r14, 48(%0)\n mov %%r15, 56(%0)\n"
      :
      : "r"(&out)
      : "rax", "memory");
#else
#error "own_registers: port"
#endif
}

void describe_next(const Thread& t, ThreadRegisters& out) {
  out.object = t.parked ? t.pending.object : kNoObject;
  out.second = t.pending.second;
  out.kind = t.pending.kind;
  out.thread = t.id;
}

void describe_others(Inspection& stop) {
  const Scheduler& s = scheduler();
  s.live.for_each(s.words(), [&](ThreadId id) {
    const Thread& t = s.thread(id);
    if (&t == runtime.current || stop.threads == Inspection::kMostThreads || !runtime.fibers) return;
    ThreadRegisters& out = stop.registers[stop.threads++];
    out = {};
    registers_of(t, out);
    describe_next(t, out);
  });
}

}  // namespace

// The frame of this function holds the registers for the driver, so it must exist until the driver has read them.
__attribute__((noinline)) void stop_for_driver(Inspection::Kind kind, uint32_t step, ObjectId object) {
  if (!inspection.on) return;
  Inspection& stop = runtime.channel->inspection;
  stop.kind = kind;
  stop.pid = static_cast<uint32_t>(sys(SYS_getpid));
  stop.step = step;
  stop.object = object;
  stop.text = reinterpret_cast<uint64_t>(scheduler().message);
  stop.text_bytes = scheduler().message_size;
  ThreadRegisters& mine = stop.registers[0];
  mine = {};
  own_registers(mine);
  describe_next(*runtime.current, mine);
  mine.runs = 1;
  stop.threads = 1;
  describe_others(stop);
  stop.waiting.store(1, std::memory_order_seq_cst);
  ring_bell(runtime.channel->traces);
  while (stop.waiting.load(std::memory_order_acquire)) {
    timespec limit{1, 0};
    futex_wait(&stop.waiting, 1, &limit);
    if (runtime.channel->stop.load(std::memory_order_acquire)) sys(SYS_exit_group, 0);
  }
}

void observe_step(Thread& me, uint32_t index) {
  const Step& step = scheduler().log[index];
  if (inspection.keeps_values && is_access(step.kind) && has_values(index)) {
    step_values(index + 1);
    StepValues& value = inspection.values[index];
    value.bytes = static_cast<uint8_t>(step.bytes() <= 8 ? step.bytes() : 0);
    if (value.bytes && read_memory(step.object, value.bytes, value.before)) value.known = StepValues::kBefore;
    value.after = value.before;
    if (value.known && step.kind != OpKind::Load && step.kind != OpKind::PlainRead) me.unsettled = index + 1;
  }
  stop_for_driver(Inspection::Step, index, step.object);
}

void settle_write_slowly(Thread& me) {
  const uint32_t index = me.unsettled - 1;
  me.unsettled = 0;
  StepValues& value = inspection.values[index];
  if (read_memory(scheduler().log[index].object, value.bytes, value.after)) value.known |= StepValues::kAfter;
}

uint32_t step_values(uint32_t steps) {
  if (!inspection.values)
    inspection.values = static_cast<StepValues*>(map_unsaved_pages(kMostValues * sizeof(StepValues)));
  if (steps > kMostValues) steps = kMostValues;
  while (inspection.value_count < steps) inspection.values[inspection.value_count++] = {};
  return steps;
}

void stop_at_new_races() {
  while (inspection.on && inspection.races_shown < race_detector.count) {
    const DataRace& race = race_detector.found[inspection.races_shown++];
    stop_for_driver(Inspection::Race, scheduler().log_size, ObjectId(race.second.address));
  }
}

const Module inspection_module = {
    .name = "inspection",
    .before_execution =
        [] {
          inspection.value_count = 0;
          inspection.races_shown = 0;
          inspection.keeps_values = settings.plan->detail;
          inspection.on = settings.plan->detail && settings.plan->inspect;
        },
};

}  // namespace lockstep::rt
