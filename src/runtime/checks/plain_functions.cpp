// Breakpoints on functions without instrumentation.
#include "runtime/checks/plain_functions.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/code_patches.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
void PlainFunctions::init() { table_ = static_cast<Table*>(map_unsaved_pages(sizeof(Table))); }

bool PlainFunctions::add(const PlainFunction& function) {
  Table& t = *table_;
  const bool ascends = t.count && t.entry[t.count - 1].begin < function.begin;
  if (!ascends) {
    if (t.row_count == kMaxRows) return false;
    t.row[t.row_count++] = {t.count, t.count};
  }
  Entry& entry = t.entry[t.count++];
  t.row[t.row_count - 1].end = t.count;
  entry = {function.begin, function.size, static_cast<uint8_t>(function.kind), State::Ignored, 0};
  if (function.kind == PlainFunction::kFramework) return true;
  if (!make_code_writable(function.begin, function.begin + 1)) return false;
  entry.byte = *reinterpret_cast<const uint8_t*>(function.begin);
  entry.state = State::Armed;
  write_code_byte(function.begin, kBreakpoint);
  return true;
}

void PlainFunctions::take_over(const Channel& channel) {
  Table& t = *table_;
  const uint32_t count = channel.plain_count.load(std::memory_order_acquire);
  const auto* functions =
      reinterpret_cast<const PlainFunction*>(reinterpret_cast<const char*>(&channel) + channel.plain_offset);
  while (t.count < count) {
    // Without a breakpoint the function may run unnoticed.
    const uint32_t before = t.count;
    if (!add(functions[t.count])) notice(FactKind::PlainCode);
    if (t.count == before) break;
  }
  const FactTable& facts = channel.facts;
  const uint32_t noticed = facts.count.load(std::memory_order_acquire);
  for (; t.facts_read < noticed; ++t.facts_read) {
    const Fact& fact = facts.fact[t.facts_read];
    if (fact.kind != FactKind::PlainCode || !fact.place) continue;
    if (Entry* entry = find(fact.place); entry && entry->state != State::Ran) {
      write_code_byte(entry->begin, entry->byte);
      entry->state = State::Ran;
    }
  }
}

PlainFunctions::Entry* PlainFunctions::find(uintptr_t pc) {
  Table& t = *table_;
  for (uint32_t r = 0; r < t.row_count; ++r) {
    uint32_t low = t.row[r].first, high = t.row[r].end;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (t.entry[middle].begin <= pc)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == t.row[r].first) continue;
    Entry& last = t.entry[low - 1];  // the last one that begins at or before pc
    if (pc - last.begin < last.size) return &last;
  }
  return nullptr;
}

void PlainFunctions::set_alone(bool armed) {
  Table& t = *table_;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t.alone_count; ++i) {
    Entry& entry = t.entry[t.alone[i]];
    if (entry.state != State::Alone) continue;
    write_code_byte(entry.begin, armed ? kBreakpoint : entry.byte);
    t.alone[kept++] = t.alone[i];
  }
  t.alone_count = kept;
}

void PlainFunctions::ran(Entry& entry) {
  write_code_byte(entry.begin, entry.byte);
  entry.state = State::Ran;
  // Leaves room for other facts.
  const bool named = table_->noticed < kMaxNoticed;
  table_->noticed += named;
  notice(FactKind::PlainCode, named ? reinterpret_cast<const void*>(entry.begin) : nullptr);
}

void PlainFunctions::look_at_stack() {
  constexpr size_t kDeepest = 256;
  uint64_t stack[kDeepest];
  bool whole = false;
  const size_t depth = backtrace(stack, kDeepest, &whole);
  for (size_t i = 0; i < depth; ++i)
    if (Entry* entry = find(stack[i] - 1); entry && entry->state == State::Alone) ran(*entry);
  if (whole) return;
  // Frames without unwind information are on the stack: any of these functions may be on it.
  for (uint32_t i = 0; i < table_->alone_count; ++i)
    if (Entry& entry = table_->entry[table_->alone[i]]; entry.state == State::Alone) ran(entry);
}

// A test framework calls its own copy of a template.
bool PlainFunctions::within_framework(const Entry& entry, uintptr_t stack_pointer) {
  if (entry.kind != PlainFunction::kTemplate) return false;
  const Entry* caller = find(*reinterpret_cast<const uintptr_t*>(stack_pointer) - 1);
  return caller && caller->kind != PlainFunction::kProgram;
}

bool PlainFunctions::handle_trap(uintptr_t pc, uintptr_t stack_pointer) {
  Entry* entry = table_ ? find(pc - 1) : nullptr;
  if (!entry || entry->begin != pc - 1 || entry->state == State::Ignored) return false;
  if (*reinterpret_cast<const volatile uint8_t*>(entry->begin) != kBreakpoint)
    return true;                                 // another thread removed it already
  if (entry->byte == kBreakpoint) return false;  // the program's own
  if (controlled() && scheduler().unjoined && !within_framework(*entry, stack_pointer)) {
    ran(*entry);
    return true;
  }
  write_code_byte(entry->begin, entry->byte);
  Table& t = *table_;
  if (entry->state == State::Armed) {
    entry->state = State::Alone;
    t.alone[t.alone_count++] = static_cast<uint32_t>(entry - t.entry);
  }
  return true;
}

const Module plain_functions_module = {
    .name = "code without instrumentation",
    .update = [] { plain_functions.update(*runtime.channel); },
    .before_execution = [] { plain_functions.follow(false); },
    .at_checkpoint =
        [] {
          plain_functions.follow(false);
          plain_functions.follow(scheduler().unjoined != 0);
        },
};

}  // namespace lockstep::rt
