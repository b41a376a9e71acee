// Joins blocks between which no thread has a reason to run.
#include "search/blocks/block_units.hpp"

#include <algorithm>

namespace lockstep {
namespace {

// Operations after which a block never ends: they enable no thread and create no thread. Any other operation counts as
// the possible end of a block.
bool goes_on(OpKind kind) {
  switch (kind) {
    case OpKind::ThreadStart:
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::Rmw:
    case OpKind::Cas:
    case OpKind::Fence:
    case OpKind::Lock:
    case OpKind::ReadLock:
    case OpKind::WriteLock:
    case OpKind::PlainRead:
    case OpKind::PlainWrite:
    case OpKind::AtomicSection: return true;
    default: return false;
  }
}

bool ends_at_private_lock(TraceView trace, const Block& block, LockUsers& users) {
  const auto steps = trace.steps().subspan(block.record.begin, block.end - block.record.begin);
  return std::all_of(steps.begin(), steps.end(), [&](const Step& step) {
    if (step.flags & (Step::kYield | Step::kTimedOut)) return false;
    return step.is_choice() || goes_on(step.kind) || users.leaves_private_lock(step);
  });
}

}  // namespace

std::vector<Block> blocks_of(TraceView trace) {
  std::vector<Block> blocks;
  trace.for_each_block([&](const BlockRecord& record, std::span<const Touched> touched) {
    if (record.how == BlockRecord::Rest) return;
    if (!blocks.empty()) blocks.back().end = record.begin;
    blocks.push_back({record, 0, {touched.begin(), touched.end()}});
  });
  if (!blocks.empty()) blocks.back().end = static_cast<uint32_t>(trace.steps().size());
  return blocks;
}

size_t unit_size(TraceView trace, std::span<const Block> blocks, LockUsers& users) {
  size_t size = 1;
  while (size < blocks.size()) {
    const BlockRecord& next = blocks[size].record;
    if (next.thread != blocks[0].record.thread || next.how == BlockRecord::Aborted) break;
    if (!ends_at_private_lock(trace, blocks[size - 1], users)) break;
    ++size;
  }
  return size;
}

Block joined(std::span<const Block> blocks) {
  Block unit = blocks[0];
  for (const Block& block : blocks.subspan(1)) {
    unit.record.end = block.record.end;
    unit.record.how = block.record.how;
    unit.record.everything |= block.record.everything;
    unit.end = block.end;
    unit.touched.insert(unit.touched.end(), block.touched.begin(), block.touched.end());
  }
  return unit;
}

}  // namespace lockstep
