// Breakpoints on atomic instructions, and their effects.
#include "runtime/checks/locked_instructions.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/process/code_patches.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"

namespace lockstep::rt {
#if defined(__x86_64__)
namespace {

constexpr int kSeqCst = __ATOMIC_SEQ_CST;
constexpr uint64_t kZeroFlag = 0x40;

uint64_t register_in(const ucontext_t& context, uint8_t number) {
  constexpr int kPlace[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<uint64_t>(context.uc_mcontext.gregs[kPlace[number & 15]]);
}

uintptr_t operand_of(const LockedInstruction& i, const ucontext_t& context) {
  uint64_t address = static_cast<uint64_t>(i.displacement);
  if (i.base != LockedInstruction::kNone) address += register_in(context, i.base);
  if (i.index != LockedInstruction::kNone) address += register_in(context, i.index) << i.scale;
  if (i.bit_register == LockedInstruction::kNone) return address;
  const int64_t bits = 8 * i.size;
  int64_t bit = static_cast<int64_t>(register_in(context, i.bit_register));
  if (i.size == 4) bit = static_cast<int32_t>(bit);
  if (i.size == 2) bit = static_cast<int16_t>(bit);
  const int64_t words = (bit - (bit & (bits - 1))) / bits;
  return address + static_cast<uint64_t>(words * i.size);
}

uint64_t value_at(uintptr_t address, unsigned size) {
  uint64_t value = 0;
  copy_bytes(&value, reinterpret_cast<const void*>(address), size < 8 ? size : 8);
  return value;
}

}  // namespace

void LockedInstructions::init() { table_ = static_cast<Table*>(map_unsaved_pages(sizeof(Table))); }

LockedInstructions::Site* LockedInstructions::find(uint64_t address) const {
  constexpr uint32_t kSlots = 2 * kMaxLocked;
  for (auto at = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15ull >> 48) % kSlots; table_->slot[at];
       at = (at + 1) % kSlots)
    if (Site& site = table_->site[table_->slot[at] - 1]; site.instruction.address == address) return &site;
  return nullptr;
}

void LockedInstructions::take_over(const Channel& channel) {
  constexpr uint32_t kSlots = 2 * kMaxLocked;
  Table& t = *table_;
  for (const uint32_t count = channel.locked_count.load(std::memory_order_acquire); t.taken < count; ++t.taken) {
    const LockedInstruction& i = channel.locked[t.taken];
    t.site[t.taken] = {i, 0, false};
    auto at = static_cast<uint32_t>(i.address * 0x9e3779b97f4a7c15ull >> 48) % kSlots;
    while (t.slot[at]) at = (at + 1) % kSlots;
    t.slot[at] = static_cast<uint16_t>(t.taken + 1);
  }
  t.any_unarmed = true;
}

// The last execution may have ended with an instruction that faulted.
void LockedInstructions::begin() {
  locked_words.begin();
  if (LIKELY(!current_.site)) return;
  write_code_byte(current_.site->instruction.address, kBreakpoint);
  current_.site = nullptr;
}

void LockedInstructions::arm() {
  if (LIKELY(!table_->any_unarmed)) return;
  table_->any_unarmed = false;
  for (uint32_t i = 0; i < table_->taken; ++i) {
    Site& site = table_->site[i];
    const uintptr_t at = site.instruction.address;
    if (site.armed || !make_code_writable(at, at + 1)) continue;
    site.byte = *reinterpret_cast<const uint8_t*>(at);
    site.armed = true;
    write_code_byte(at, kBreakpoint);
  }
}

bool LockedInstructions::handle_trap(const siginfo_t* info, ucontext_t* context) {
  if (!any()) return false;
  greg_t* registers = context->uc_mcontext.gregs;
  if (info->si_code != SI_KERNEL) {
    if (!current_.site) return false;
    registers[REG_EFL] &= ~kTrapFlag;
    finish(context);
    return true;
  }
  Site* site = find(static_cast<uint64_t>(registers[REG_RIP]) - 1);
  if (!site || !site->armed) return false;
  --registers[REG_RIP];
  const bool mine = runtime.running && controlled();
  if (mine && !scheduler().unjoined) {
    write_code_byte(site->instruction.address, site->byte);
    site->armed = false;
    table_->any_unarmed = true;
    return true;
  }
  if (mine)
    arrive(*site, context);
  else
    current_ = {site, nullptr, 0, 0};
  // No other thread runs before the instruction is done.
  write_code_byte(site->instruction.address, site->byte);
  registers[REG_EFL] |= kTrapFlag;
  return true;
}

// The running thread is about to execute the instruction: returns when it may.
void LockedInstructions::arrive(Site& site, ucontext_t* context) {
  const LockedInstruction& i = site.instruction;
  Thread& me = *runtime.current;
  const uintptr_t address = operand_of(i, *context);
  const auto stack_pointer = static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RSP]);
  const LockedWords::Word* known = locked_words.find(address, LockedWords::bytes_of(address, i.size));
  const bool compares = i.kind == LockedInstruction::Kind::CompareExchange;
  const bool can_run = may_go_round();
  auto flags = static_cast<uint8_t>(compares ? Step::kConditional : Step::kWrite);
  Companion second = compares ? Companion::expected(register_in(*context, 0)) : Companion{};
  if (const uint8_t round = because_of_a_change()) {
    flags |= round;
    if (!compares) second = Companion::change(ObjectId{me.change});
  }
  const void* object = reinterpret_cast<const void*>(known ? known->operand : address);
  arrive_at(stack_pointer);
  Step& step = scheduler().reach(compares ? OpKind::Cas : OpKind::Rmw, object, flags, can_run, second, kSeqCst, i.size);
  me.entry_sp = 0;
  for (uintptr_t at = address; at < address + i.size; at = word_of(at) + 8) {
    LockedWords::Word* word = locked_words.add(at, static_cast<unsigned>(address + i.size - at));
    if (word) look_for_unseen_store(*word, reinterpret_cast<const void*>(i.address));
  }
  current_ = {&site, &step, address, value_at(address, i.size)};
}

// The instruction has run.
void LockedInstructions::finish(ucontext_t* context) {
  const auto [site, step, address, before] = current_;
  current_.site = nullptr;
  write_code_byte(site->instruction.address, kBreakpoint);
  if (!step) return;
  const unsigned size = site->instruction.size;
  const auto* pc = reinterpret_cast<const void*>(context->uc_mcontext.gregs[REG_RIP]);
  const bool fails =
      step->kind == OpKind::Cas && !(static_cast<uint64_t>(context->uc_mcontext.gregs[REG_EFL]) & kZeroFlag);
  const auto* operand = reinterpret_cast<const volatile void*>(address);
  if (fails) {
    synchronise<Atomic::Load>(operand, size, kSeqCst, pc);
  } else {
    step->flags |= Step::kWrite;
    synchronise<Atomic::Modify>(operand, size, kSeqCst, pc);
  }
  for (uintptr_t at = address; at < address + size; at = word_of(at) + 8)
    if (LockedWords::Word* word = locked_words.find(at, LockedWords::bytes_of(at, 1))) {
      word->value = word->current();
      word->known = true;
    }
  const uint64_t after = value_at(address, size);
  if (fails || (after == before && size <= 8))
    note_unchanging(*step, Watch{address, after, static_cast<uint16_t>(size < 8 ? size : 8)});
  else
    note_progress();
}

void LockedInstructions::access_word(LockedWords::Word& word, uintptr_t address, unsigned size, bool write,
                                     const void* pc) {
  const bool can_run = may_go_round();
  const auto flags = static_cast<uint8_t>((write ? Step::kWrite : 0) | because_of_a_change());
  const Companion second = flags & Step::kBlocked ? Companion::change(ObjectId{runtime.current->change}) : Companion{};
  Step& step = scheduler().reach(write ? OpKind::Store : OpKind::Load, reinterpret_cast<const void*>(word.operand),
                                 flags, can_run, second, kSeqCst, word.size);
  const auto* operand = reinterpret_cast<const volatile void*>(address);
  look_for_unseen_store(word, pc);
  if (write) {
    synchronise<Atomic::Store>(operand, size, kSeqCst, pc);
    note_coming_write(reinterpret_cast<const void*>(address), size);
    word.known = false;
    return;
  }
  synchronise<Atomic::Load>(operand, size, kSeqCst, pc);
  word.value = word.current();
  word.known = true;
  note_unchanging(step, Watch{address, value_at(address, size), static_cast<uint16_t>(size)});
}

// Memory has another value than the last operation left: some thread has stored to it, and may have released what it
// did before.
void LockedInstructions::look_for_unseen_store(LockedWords::Word& word, const void* place) {
  if (!word.known || word.current() == word.value) return;
  notice(FactKind::PlainCode, place);
  if (race_detector.active()) race_detector.clocks().learn_all(runtime.current->id);
}
#else
void LockedInstructions::init() {}
void LockedInstructions::take_over(const Channel&) {}
void LockedInstructions::begin() {}
void LockedInstructions::arm() {}
bool LockedInstructions::handle_trap(const siginfo_t*, ucontext_t*) { return false; }
void LockedInstructions::access_word(LockedWords::Word&, uintptr_t, unsigned, bool, const void*) {}
#endif

const Module locked_instructions_module = {
    .name = "atomic instructions that are not instrumented",
    .update = [] { locked_instructions.update(*runtime.channel); },
    .before_execution = [] { locked_instructions.begin(); },
    .at_checkpoint =
        [] {
          if (scheduler().unjoined) locked_instructions.arm();
        },
};

}  // namespace lockstep::rt
