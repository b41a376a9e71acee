// Finds spin loops in code without scheduling points by single steps, and traps their backward jumps.
#include "runtime/sched/native_loops.hpp"

#include <ucontext.h>

#include "runtime/base/runtime.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/code_patches.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/state_hash.hpp"

namespace lockstep::rt {
#if defined(__x86_64__)
namespace {

constexpr unsigned kLongestHunt = 20'000;  // instructions; loops that wait are short
constexpr unsigned kMostHunts = 3;   // that find nothing, until the program makes progress: then this is no such loop
constexpr unsigned kHopeless = 200;  // consecutive rounds of such loops only
constexpr uintptr_t kRedZone = 128;

struct Loop {
  uintptr_t jump, target, next;  // the backward jump, where it goes, what follows it
  int condition;                 // of the x86 encoding; -1: unconditional
};
struct CpuState {
  uint64_t registers[17];  // general purpose registers, instruction pointer
  uint64_t stack;          // hash; 0: unknown
};

// State of each thread at its last backward jump in a known loop.
struct Round {
  CpuState state;
  uint32_t effects;
};

struct Hunt {
  bool on;
  uint64_t asked_progress;  // at the driver's previous signal
  const Thread* asked_thread;
  unsigned steps, next_anchor, length;
  unsigned in_vain;  // hunts that found nothing since the last progress
  CpuState anchor;
  uint32_t anchor_effects;
  bool walking;        // the cycle is known: a second pass finds its jump
  uintptr_t previous;  // the previous instruction
  uint64_t previous_stack;
  uintptr_t jump;
  uint64_t jump_stack;
};

constinit struct {
  Loop loop[kMaxNativeLoops];
  uint32_t count;
  Round* rounds;           // by thread
  uint64_t last_progress;  // of the scheduler, after the last round
  unsigned rounds_in_row;  // without progress by any thread
  Hunt hunt;
} known{};
constexpr Hunt& hunt = known.hunt;

greg_t* registers_of(void* context) { return static_cast<ucontext_t*>(context)->uc_mcontext.gregs; }

CpuState registers_in(void* context) {
  const greg_t* g = registers_of(context);
  CpuState state{};
  constexpr int kGeneral[] = {REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RDI,
                              REG_RSI, REG_RBP, REG_RBX, REG_RDX, REG_RAX, REG_RCX, REG_RSP, REG_RIP};
  for (int i = 0; i < 17; ++i) state.registers[i] = static_cast<uint64_t>(g[kGeneral[i]]);
  return state;
}

bool same_registers(const CpuState& a, const CpuState& b) {
  for (int i = 0; i < 17; ++i)
    if (a.registers[i] != b.registers[i]) return false;
  return true;
}

uint64_t hash_stack(uintptr_t sp) {
  const uintptr_t top = reinterpret_cast<uintptr_t>(runtime.current->stack_top);
  if (sp > top || top - sp > kDeepestLoop) return 0;
  const uintptr_t begin = (sp - kRedZone) & ~uintptr_t{7};
  StateHash hash;
  hash.add(reinterpret_cast<const void*>(begin), top - begin);
  return hash.value() | 1;
}

// Decodes a direct backward jump at this address.
bool decode(uintptr_t address, Loop& loop) {
  const auto* code = reinterpret_cast<const uint8_t*>(address);
  auto near = [&](unsigned opcode_bytes) {
    int32_t distance;
    copy_bytes(&distance, code + opcode_bytes, 4);
    loop.next = address + opcode_bytes + 4;
    return distance;
  };
  int64_t distance;
  if ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb) {
    loop.condition = code[0] == 0xeb ? -1 : code[0] & 15;
    loop.next = address + 2;
    distance = static_cast<int8_t>(code[1]);  // NOLINT(bugprone-signed-char-misuse): a signed offset
  } else if (code[0] == 0xe9) {
    loop.condition = -1;
    distance = near(1);
  } else if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80) {
    loop.condition = code[1] & 15;
    distance = near(2);
  } else {
    return false;
  }
  loop.jump = address;
  loop.target = loop.next + static_cast<uintptr_t>(distance);
  return distance < 0;
}

bool taken(int condition, uint64_t flags) {
  const bool carry = flags & 1, parity = flags & 4, zero = flags & 0x40, sign = flags & 0x80, overflow = flags & 0x800;
  bool holds = true;
  switch (condition >> 1) {
    case 0: holds = overflow; break;
    case 1: holds = carry; break;
    case 2: holds = zero; break;
    case 3: holds = carry || zero; break;
    case 4: holds = sign; break;
    case 5: holds = parity; break;
    case 6: holds = sign != overflow; break;
    case 7: holds = zero || sign != overflow; break;
    default: return true;
  }
  return holds != (condition & 1);
}

void set_trap(uintptr_t address) {
  for (uint32_t i = 0; i < known.count; ++i)
    if (known.loop[i].jump == address) return;
  Loop loop{};
  if (known.count == kMaxNativeLoops || !decode(address, loop)) return;
  constexpr uint8_t kTrap[] = {0xcc};
  if (write_code(address, kTrap, sizeof kTrap)) known.loop[known.count++] = loop;
}

void found(uintptr_t jump) {
  set_trap(jump);
  Channel& channel = *runtime.channel;
  const uint32_t n = channel.found_loops.load(std::memory_order_relaxed);
  if (n == kMaxNativeLoops) return;
  channel.found_loop[n] = jump;
  channel.found_loops.store(n + 1, std::memory_order_release);
}

void leave_single_steps(void* context) { registers_of(context)[REG_EFL] &= ~kTrapFlag; }

void stop_hunting(void* context) {
  hunt.on = false;
  leave_single_steps(context);
}

// Finds the jump that closes the cycle: the one in the outermost frame, so that it belongs to the loop and not to a
// function that the loop calls.
void walk(const CpuState& now) {
  const uintptr_t pc = now.registers[16];
  Loop loop{};
  if (pc < hunt.previous && !is_own_code(hunt.previous) && decode(hunt.previous, loop) && loop.target == pc &&
      (!hunt.jump || hunt.previous_stack > hunt.jump_stack)) {
    hunt.jump = hunt.previous;
    hunt.jump_stack = hunt.previous_stack;
  }
}

// Runs after each single instruction. Brent's cycle detection: compares with an anchor state that moves up now and
// then.
void hunt_step(void* context) {
  const CpuState now = registers_in(context);
  const uintptr_t pc = now.registers[16];
  if (scheduler().progress() != hunt.asked_progress || ++hunt.steps > kLongestHunt) {
    hunt.in_vain += hunt.steps > kLongestHunt;
    return stop_hunting(context);
  }
  count_plain_writes(*runtime.current);
  const uint32_t effects = runtime.current->effects;
  const bool again = effects == hunt.anchor_effects && same_registers(now, hunt.anchor) &&
                     hash_stack(now.registers[15]) == hunt.anchor.stack;
  if (hunt.walking) {
    walk(now);
    if (again) {
      if (hunt.jump) found(hunt.jump);
      return stop_hunting(context);
    }
  } else if (again) {
    hunt.walking = true;
  } else if (hunt.steps == hunt.next_anchor) {
    hunt.next_anchor *= 2;
    hunt.anchor = now;
    hunt.anchor.stack = hash_stack(now.registers[15]);
    hunt.anchor_effects = effects;
  }
  hunt.previous = pc;
  hunt.previous_stack = now.registers[15];
}

// True if only such rounds have run for long and nothing else can happen: the loops run forever.
bool hopeless() {
  Scheduler& s = scheduler();
  bool waits_for_more = !s.timed.empty(s.words());
  s.live.for_each(s.words(), [&](ThreadId t) { waits_for_more |= s.thread(t).waits_for != nullptr; });
  return !waits_for_more;
}

void go_round(void* context) {
  Thread& me = *runtime.current;
  if (!known.rounds) known.rounds = static_cast<Round*>(map_pages(sizeof(Round) * kMaxThreads));
  Round& round = known.rounds[index_of(me.id)];
  count_plain_writes(me);
  CpuState now = registers_in(context);
  now.stack = hash_stack(now.registers[15]);
  const bool again = now.stack && round.effects == me.effects + 1 && same_registers(now, round.state) &&
                     now.stack == round.state.stack;
  round.state = now;
  round.effects = me.effects + 1;
  if (!again) return;
  Scheduler& s = scheduler();
  known.rounds_in_row = s.progress() == known.last_progress ? known.rounds_in_row + 1 : 0;
  if (known.rounds_in_row > kHopeless && hopeless())
    s.end(Outcome::Livelock, 0, "only threads that spin forever in code without scheduling points can run");
  s.reach(OpKind::Yield, nullptr, Step::kYield);
  known.last_progress = s.progress();
}

}  // namespace

bool native_loops_known() { return known.count != 0; }

void update_native_loops(const Channel& channel) {
  if (known.rounds)
    for (unsigned i = 0; i < scheduler().created; ++i) known.rounds[index_of(scheduler().born[i])].effects = 0;
  known.rounds_in_row = 0;
  const uint32_t count = channel.native_loops.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count && i < kMaxNativeLoops; ++i) set_trap(channel.native_loop[i]);
}

void look_for_native_loop(void* context) {
  if (!runtime.running || !runtime.fibers || thread_pointer() != runtime.current->tls) return;
  const uint64_t progress = scheduler().progress();
  const bool again = hunt.asked_progress == progress && hunt.asked_thread == runtime.current && progress != 0;
  if (again && hunt.on) return;
  hunt.on = false;
  hunt.asked_progress = progress;
  hunt.asked_thread = runtime.current;
  if (!again) hunt.in_vain = 0;
  if (!again || hunt.in_vain >= kMostHunts) return;
  hunt.on = true;
  hunt.walking = false;
  hunt.steps = 0;
  hunt.next_anchor = 64;
  hunt.anchor = {};
  hunt.previous = 0;
  hunt.jump = 0;
  registers_of(context)[REG_EFL] |= kTrapFlag;
}

bool handle_trap(siginfo_t* info, void* context) {
  // Virtual machines sometimes lose the flag of a single step and report a breakpoint. A trap instruction is not
  // reported like this.
  if (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT) {
    // A thread that was switched out during a hunt continues without it.
    if (hunt.on && hunt.asked_thread == runtime.current)
      hunt_step(context);
    else
      leave_single_steps(context);
    return true;
  }
  greg_t* g = registers_of(context);
  const uintptr_t address = static_cast<uintptr_t>(g[REG_RIP]) - 1;
  for (uint32_t i = 0; i < known.count; ++i) {
    const Loop& loop = known.loop[i];
    if (loop.jump != address) continue;
    const bool back = taken(loop.condition, static_cast<uint64_t>(g[REG_EFL]));
    g[REG_RIP] = static_cast<greg_t>(back ? loop.target : loop.next);
    if (back && controlled()) go_round(context);
    return true;
  }
  return false;
}

#else
#error "port: find backward jumps and trap them"
#endif

const Module native_loops_module = {
    .name = "spin loops without scheduling points",
    .update = [] { update_native_loops(*runtime.channel); },
};

}  // namespace lockstep::rt
