// Saves executions at decisions and restores them.
#include "runtime/serve/checkpoints.hpp"

#include <unistd.h>

#include "runtime/base/runtime.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/serve/modules.hpp"

namespace lockstep::rt {
namespace {

bool equal_deltas(const Delta* a, const Delta* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i].step != b[i].step || a[i].value != b[i].value) return false;
  return true;
}

// Atomic blocks: from there on the plan decides more than its deltas.
bool starts_before(const PlanHeader& plan, uint32_t record) {
  return plan.policy == Policy::Blocks && (plan.sleep_at == kNoStep || plan.sleep_at < record);
}

}  // namespace

// False if the schedule depends on more than decisions at records, or if more is recorded than usual.
bool can_resume(const PlanHeader& plan) {
  const bool decides = plan.policy == Policy::Default || plan.policy == Policy::RoundRobin;
  const bool blocks = plan.policy == Policy::Blocks;  // their `extra` concerns later records
  return (blocks || (decides && !plan.extra_words)) && !plan.detail && !plan.stacks && !plan.origins && !plan.tracked;
}

bool Checkpoints::add(Level& level, char* at, size_t bytes) {
  if (!bytes) return true;
  if (level.pieces == kMostPieces) return false;
  level.piece[level.pieces++] = {at, bytes};
  return true;
}

bool Checkpoints::add_thread(Level& level, Thread& thread) {
  char* from = static_cast<char*>(thread.stack_pointer);
  const size_t deep = static_cast<size_t>(thread.stack_top - from);
  if (from >= thread.stack_top || deep >= kStackStride || !add(level, from, deep)) return false;
  for (unsigned i = 0; i < thread.tls_block_count; ++i)
    if (!add(level, thread.tls_blocks[i].address, thread.tls_blocks[i].size)) return false;
  return true;
}

bool Checkpoints::find_pieces(Level& level, Thread& decider) {
  Scheduler& s = scheduler();
  level.pieces = 0;
  bool all = true;
  s.live.for_each(s.words(), [&](ThreadId t) { all = all && add_thread(level, s.thread(t)); });
  if (decider.life != Life::Live) all = all && add_thread(level, decider);  // about to end
  for (unsigned i = 0; all && i < heap.used(); ++i) {
    const Heap::Extent used = heap.extent(i);
    all = add(level, used.begin, static_cast<size_t>(used.end - used.begin));
  }
  level.dirty_pages = snapshot.dirty_pages();
  size_t bytes = level.dirty_pages * kPage;
  for (unsigned i = 0; i < level.pieces; ++i) bytes += level.piece[i].bytes;
  return all && bytes <= kMostBytes;
}

// Reserves all memory at once: mappings made after a checkpoint are removed when the checkpoint is restored.
void Checkpoints::init() {
  own_.init();
  for (Level& level : level_) {
    level.bytes = static_cast<char*>(map_unsaved_pages(kMostBytes));
    level.piece = static_cast<Piece*>(map_unsaved_pages(sizeof(Piece) * kMostPieces));
    level.delta = static_cast<Delta*>(map_unsaved_pages(sizeof(Delta) * kMostDeltas));
  }
}

bool Checkpoints::save(const PlanHeader& plan, Thread& decider) {
  const Scheduler& s = scheduler();
  if (own_.levels() == OwnState::kLevels || !undo.nothing_to_undo() || !s.repeatable()) return false;
  Level& level = level_[own_.levels()];
  if (!find_pieces(level, decider)) return false;
  level.records = s.log_size;
  level.set_words = s.set_words;
  level.policy = plan.policy;
  level.max_steps = plan.max_steps;
  level.promoted = runtime.channel->promoted_version.load(std::memory_order_acquire);
  level.trusted = runtime.channel->trusted_version.load(std::memory_order_acquire);
  level.deltas = 0;
  bool fits = true;
  s.each_delta_done([&](const Delta& delta) {
    if ((fits = level.deltas < kMostDeltas)) level.delta[level.deltas++] = delta;
  });
  if (!fits) return false;
  level.decider = &decider;
  level.input = runtime.channel->rewinds_input ? sys(SYS_lseek, 0, 0, SEEK_CUR) : 0;
  char* out = level.bytes;
  snapshot.copy_dirty(out);
  out += level.dirty_pages * kPage;
  for (unsigned i = 0; i < level.pieces; out += level.piece[i++].bytes)
    copy_bytes(out, level.piece[i].at, level.piece[i].bytes);
  return own_.save();
}

unsigned Checkpoints::reached_by(const PlanHeader& plan) const {
  if (own_.levels() == 0 || own_.lost() || !can_resume(plan)) return 0;
  for (unsigned n = own_.levels(); n > 0; --n) {
    const Level& level = level_[n - 1];
    if (level.policy != plan.policy || level.max_steps != plan.max_steps || plan.deltas < level.deltas ||
        (plan.sleepers && plan.sleep_at < level.records) || starts_before(plan, level.records) ||
        !equal_deltas(level.delta, plan.delta_list(), level.deltas) ||
        level.promoted != runtime.channel->promoted_version.load(std::memory_order_acquire) ||
        level.trusted != runtime.channel->trusted_version.load(std::memory_order_acquire))
      continue;
    // A delta for "the next decision" may have meant a decision before the checkpoint.
    if (plan.deltas > level.deltas) {
      const uint32_t next = plan.delta_list()[level.deltas].step;
      if (next == kNextDecision || next < level.records) continue;
    }
    return n;
  }
  return 0;
}

Thread& Checkpoints::resume(unsigned number, const PlanHeader& plan) {
  const Level& level = level_[number];
  // State of the process, not of the execution.
  const unsigned used = heap.used();
  for (unsigned i = 0; i < used; ++i) filled_[i] = heap.extent(i);
  leave_for_checkpoint();
  const Snapshot before = snapshot;
  own_.restore(number);
  snapshot = before;
  for (unsigned i = 0; i < used; ++i)
    if (filled_[i].begin) heap.clear_after_restore(i, filled_[i]);
  const char* in = level.bytes;
  snapshot.restore_to(in, level.dirty_pages);
  in += level.dirty_pages * kPage;
  for (unsigned i = 0; i < level.pieces; in += level.piece[i++].bytes)
    copy_bytes(level.piece[i].at, in, level.piece[i].bytes);
  if (UNLIKELY(runtime.channel->rewinds_input)) sys(SYS_lseek, 0, level.input, SEEK_SET);
  scheduler().follow(plan, plan.delta_list(), plan.sleeper_list());
  arrive_at_checkpoint();
  return *level.decider;
}

void Checkpoints::forget() { own_.forget(); }

}  // namespace lockstep::rt
