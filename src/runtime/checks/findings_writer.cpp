// Writes the results of the monitors into the trace.
#include "runtime/checks/findings_writer.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/base/trace_limits.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

constexpr uint32_t kMostAllocations = 1024;
constexpr uint32_t kSlots = 4 * kMostAllocations;
constinit struct {
  Allocation block[kMostAllocations];
  uint32_t count;
  uint16_t slots[kSlots];  // 1 + index into `block`, hashed by the beginning of the block
} written{};

uint16_t& slot_of(uint64_t begin) {
  uint32_t slot = static_cast<uint32_t>((begin >> 4) * 0x9e3779b97f4a7c15ull >> 32) % kSlots;
  while (written.slots[slot] && written.block[written.slots[slot] - 1].begin != begin) slot = (slot + 1) % kSlots;
  return written.slots[slot];
}

uint64_t number_of_stack(uint64_t where) {
  const CallNode* node = call_tree.node(where);
  if (!node) return where;
  uint64_t hash = 1;
  for (; node; node = node->caller) hash = (hash ^ node->pc) * 0x9e3779b97f4a7c15ull >> 1;
  return hash;
}

void write_block_at(uint64_t address) {
  if (!in_arena(reinterpret_cast<void*>(address))) return;
  if (const Heap::Record* record = heap.record_of(address)) write_allocation(*record, 0);
}

void write_breaches() {
  RaceDetector& races = race_detector;
  for (unsigned i = 0; i < eraser.count && races.count < RaceDetector::kMost; ++i) {
    const Eraser::Breach& breach = eraser.found[i];
    DataRace& pair = races.found[races.count++];
    pair = {};
    pair.second.pc = breach.where;
    pair.second.address = pair.second.begin = breach.address;
    pair.second.thread = breach.thread;
    pair.second.size = 1;
    pair.second.flags = static_cast<uint8_t>(RaceAccess::kUnlocked | (breach.write ? RaceAccess::kWrite : 0));
    pair.first = pair.second;
    if (breach.other.pc) {  // otherwise only one access is known
      pair.first.pc = breach.other.pc;
      pair.first.thread = breach.other.thread;
      pair.first.step = breach.other.step;
      pair.first.flags = static_cast<uint8_t>(breach.other.flags | RaceAccess::kUnlocked);
    }
  }
}

// Adds the blocks of operations and of the accesses of atomic blocks.
void write_blocks_used() {
  const Scheduler& s = scheduler();
  for (uint32_t i = s.first_kept; i < s.log_size && written.count < kMostAllocations; ++i) {
    write_block_at(static_cast<uint64_t>(s.log[i].object));
    for (const Access& access : accesses(s.log[i].operation())) write_block_at(static_cast<uint64_t>(access.object));
  }
  s.live.for_each(s.words(), [&](ThreadId t) {
    write_block_at(static_cast<uint64_t>(runtime.threads[index_of(t)].pending.object));
  });
  if (!s.records_memory()) return;
  const Touched* units = s.blocks.out();
  for (uint32_t i = 0; i < s.blocks.units && written.count < kMostAllocations;) {
    const auto& block = reinterpret_cast<const BlockRecord&>(units[i++]);
    for (const uint32_t end = i + block.touched; i < end; ++i) write_block_at(units[i].word);
  }
}

}  // namespace

void begin_findings() {
  if (written.count) zero_bytes(written.slots, sizeof written.slots);  // forgets the blocks written before
  written.count = 0;
}

bool write_allocation(const Heap::Record& record, uint16_t flags) {
  uint16_t& known = slot_of(record.begin);
  if (known) {
    written.block[known - 1].flags |= flags;
    return true;
  }
  if (written.count == kMostAllocations) return false;
  Allocation& a = written.block[written.count++];
  known = static_cast<uint16_t>(written.count);
  a = {};
  a.begin = record.begin;
  a.size = Heap::size_of(record);
  a.pc = record.where;
  a.thread = ThreadId(static_cast<uint16_t>((record.begin - kArenaBase) / kArenaStride));
  a.flags = static_cast<uint16_t>(flags | (Heap::live(record) ? 0 : Allocation::kFreed));
  uint32_t count = 0;
  const Heap::Record* all = heap.records(a.thread, &count);
  a.serial = static_cast<uint32_t>(&record - all);
  const uint64_t place = call_tree.pc(record.where);
  for (uint32_t i = 0; i < a.serial; ++i) {
    a.count += call_tree.pc(all[i].where) == place;
    a.iteration += all[i].where == record.where;
  }
  a.origin = number_of_stack(record.where);
  return true;
}

void write_findings(bool completed) {
  if (race_detector.lifetimes) scheduler().reasons.add(Reason::Lifetime);
  if (eraser.count) write_breaches();
  eraser.end();
  if (!heap.keeps_records()) return;
  for (unsigned i = 0; i < race_detector.count; ++i) {
    write_block_at(race_detector.found[i].first.address);
    write_block_at(race_detector.found[i].second.address);
  }
  const Scheduler& s = scheduler();
  if (s.fault_address) write_block_at(s.fault_address);
  if (settings.keeps_origins) write_blocks_used();
  if (completed && runtime.channel->find_leaks) find_leaks();
  if (settings.keeps_origins && !s.detail)
    for (uint32_t i = 0; i < written.count; ++i) written.block[i].pc = call_tree.pc(written.block[i].pc);
}

uint32_t monitor_flags() {
  return (race_detector.more ? Monitors::kMoreRaces : 0u) | (eraser.broken() ? Monitors::kLocksBroken : 0u) |
         (call_sites.thinned() ? Monitors::kThinned : 0u) | (call_sites.repeated() ? Monitors::kRepeated : 0u) |
         (settings.skips_races ? Monitors::kNoRaces : 0u);
}
Allocation* written_allocations(uint32_t* count) {
  *count = written.count;
  return written.block;
}

const Module findings_module = {
    .name = "findings",
    .before_execution = begin_findings,
};

}  // namespace lockstep::rt
