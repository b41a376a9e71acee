// Atomic blocks (ExitBlock, Bruening & Chapin 2000): their part of a plan and of a trace.
//
// A block of a thread begins after its previous lock exit, or with the thread, and ends just after its next lock exit.
// Lock entries, thread creation and joins do not end a block. The memory that two blocks touch decides whether their
// order matters.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/operation.hpp"
#include "model/trace.hpp"

namespace lockstep {

enum BlockFlags : uint8_t {
  kBlocksConflict = 1,       // a delayed thread stays delayed until a block conflicts with its own (ExitBlock-RW)
  kBlocksLocksWrite = 2,     // entering a lock counts as writing it
  kBlocksRunDelayed = 4,     // when only delayed threads could run and a thread waits for a signal, let them run
  kBlocksReadsConflict = 8,  // two reads conflict, as section 5.1 of the paper prints it: wrong, for tests
  kBlocksForgetLocks = 16,   // as in the paper: a lock held at the end of a block does not count as a conflict
};

// A stopped thread and the memory of its block: one section of a plan or trace. An aborted block waits for `wanted`.
struct StoppedThread {
  ThreadId thread;
  bool aborted = false;     // its next block cannot finish before `wanted` is released; otherwise the thread is delayed
  bool everything = false;  // the memory of its block is unknown: it conflicts with every block
  ObjectId wanted = kNoObject;
  std::vector<Touched> touched{};
};

// Written into Plan::extra: flags, number of threads, then for each {thread | aborted << 16 | everything << 17 |
// touched << 32, wanted, Touched[touched]}.
inline void write_stopped(uint8_t flags, std::span<const StoppedThread> threads, std::vector<uint64_t>& out) {
  out = {flags, threads.size()};
  for (const StoppedThread& s : threads) {
    out.push_back(index_of(s.thread) | uint64_t{s.aborted} << 16 | uint64_t{s.everything} << 17 |
                  uint64_t{s.touched.size()} << 32);
    out.push_back(static_cast<uint64_t>(s.wanted));
    for (const Touched& t : s.touched) {
      out.push_back(t.word);
      out.push_back(uint64_t{t.reads} | uint64_t{t.writes} << 8);
    }
  }
}

// Does the order of these two matter? Two reads do not conflict (the paper's formula is wrong there).
inline bool conflict(const Touched& a, const Touched& b, bool reads_too = false) {
  return (a.writes & b.writes) || (a.reads & b.writes) || (a.writes & b.reads) || (reads_too && (a.reads & b.reads));
}

// Does this step end a block? A signal ends one only if it woke a thread that can run at once, or if the signaller
// holds no lock. Otherwise the signaller holds the lock that the waiter needs, before and after it waits.
inline bool ends_block(const Step& step, bool woke_somebody, bool holds_lock) {
  if (step.flags & Step::kYield) return true;
  if (step.kind == OpKind::CondSignal || step.kind == OpKind::CondBroadcast) return woke_somebody || !holds_lock;
  return leaves_lock(step.kind) || is_release(step.kind);
}

// Calls `add(word, bytes, write)` for the memory that the step touches. Entering a lock counts as a read, so two blocks
// that only enter and leave the lock do not conflict. With nested locks a block can leave a lock in another state than
// it found it: the block then writes the lock (Blocks::note_lock). With `locks_write` every entry writes.
template <class Add>
void for_each_touched(const Step& step, bool locks_write, bool forget_locks, Add&& add) {
  if (step.is_note() || step.is_choice()) return;
  const OpKind k = step.kind;
  const ObjectId lock = takes_lock(k) || leaves_lock(k) ? held_object(step) : kNoObject;
  for (const Access& a : accesses(step.operation())) {
    const auto address = static_cast<uint64_t>(a.object);
    if (a.object == lock && lock != kNoObject) {
      if (takes_lock(k) && !(forget_locks && !locks_write)) add(address & ~uint64_t{7}, uint8_t{0xff}, locks_write);
      continue;
    }
    const unsigned size = is_atomic(k) && step.bytes() > 0 && step.bytes() < 8 ? step.bytes() : 8;
    const unsigned bytes = ((1u << size) - 1) << (size < 8 ? address & 7 : 0);
    add(address & ~uint64_t{7}, static_cast<uint8_t>(bytes), a.write);
  }
}

inline bool writes(const Step& step, ObjectId object) {
  if (step.is_choice()) return false;
  for (const Access& a : accesses(step.operation()))
    if (a.object == object && (a.write || leaves_lock(step.kind))) return true;
  return false;
}

}  // namespace lockstep
