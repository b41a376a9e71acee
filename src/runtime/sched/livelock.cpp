// Finds executions that never end: hashes of states, and cycles among them.
#include "runtime/sched/livelock.hpp"

#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/state_hash.hpp"

namespace lockstep::rt {
namespace {

constexpr uint64_t kUnknownState = 2;  // hashes are odd

// Does the step depend on state that is in neither the program's memory nor the scheduler's sets: input, signals,
// timers, files?
bool has_hidden_state(const Step& step) {
  using enum OpKind;
  switch (step.kind) {
    case Create:
    case ThreadExit:
    case Choose:
    case Cancel:
    case TestCancel:
    case Signal:
    case Io:
    case Timer:
    case ExitHandler:
    case State: return true;
    default: return false;
  }
}

// Hashes the memory that the program can write, except stacks: each thread hashes its own stack when it arrives.
uint64_t hash_memory(const Scheduler& s) {
  StateHash hash;
  snapshot.for_each_dirty([&](const char* page, size_t size) {
    const char* main_top = s.thread(kMainThread).stack_top;
    constexpr ptrdiff_t kLargestMainStack = 64 << 20;  // libraries lie at least 128 MiB below
    if (page >= main_top || main_top - page > kLargestMainStack) hash.add(page, size);
  });
  for (unsigned i = 0; i < heap.used(); ++i) {
    const Heap::Extent used = heap.extent(i);
    hash.add(used.begin, static_cast<size_t>(used.end - used.begin));
  }
  s.live.for_each(s.words(), [&](ThreadId id) {
    const Thread& t = s.thread(id);
    for (unsigned i = 0; i < t.tls_block_count; ++i) hash.add(t.tls_blocks[i].address, t.tls_blocks[i].size);
  });
  return hash.value();
}

// Hash of the state; 0: unknown.
uint64_t hash_state(const Scheduler& s) {
  if (!snapshot.taken() || !undo.nothing_to_undo()) return 0;
  StateHash hash;
  bool known = true;
  s.live.for_each(s.words(), [&](ThreadId id) {
    const Thread& t = s.thread(id);
    known = known && t.local_state != kUnknownState;
    hash.add(index_of(id));
    hash.add(t.local_state);
    hash.add(static_cast<uint64_t>(t.pending.object) * 31 + static_cast<uint64_t>(t.pending.kind));
    hash.add(s.enabled.contains(id));
    // While time passes, the next step depends on the time to the deadlines.
    if (s.timed.contains(id) || s.dormant.contains(id)) hash.add(t.deadline - s.earliest_time);
  });
  if (!known) return 0;
  hash.add(hash_memory(s));
  return hash.value() | 1;
}

// True if the steps since `record` changed nothing outside the state, and every thread that can run took part.
bool is_fair_cycle(const Scheduler& s, uint32_t record) {
  if (record < s.first_kept) return false;
  ThreadSet ran{};
  for (uint32_t i = record; i < s.log_size; ++i) {
    if (has_hidden_state(s.log[i])) return false;
    ran.add(s.log[i].thread);
  }
  bool all = true;
  s.enabled.for_each(s.words(), [&](ThreadId t) { all = all && ran.contains(t); });
  return all;
}

}  // namespace

void CycleSearch::capture(Thread& me) {
  const uint64_t state = local_state();
  me.local_state = state ? state : kUnknownState;
}

bool CycleSearch::yielded(const Scheduler& s) {
  constexpr uint32_t kFirst = 32, kMostBefore = 64, kMostAfter = 256;
  if (++yields_ < kFirst) return false;
  const uint32_t window = 1u << (31 - __builtin_clz(yields_)), at = yields_ - window;
  const uint32_t before = window / 2 < kMostBefore ? window / 2 : kMostBefore;
  if (at == 0) {
    captures_ = true;
    anchored_ = false;
  } else if (at > before + kMostAfter) {
    captures_ = anchored_ = false;
  }
  if (!captures_) return false;
  Thread& me = *runtime.current;
  capture(me);
  if (at == before) {
    thread_ = me.id;
    local_ = me.local_state;
    record_ = s.log_size;
    state_ = hash_state(s);
    anchored_ = state_ != 0;
    return false;
  }
  return anchored_ && me.id == thread_ && me.local_state == local_ && hash_state(s) == state_ &&
         is_fair_cycle(s, record_);
}

}  // namespace lockstep::rt
