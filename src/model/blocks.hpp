// Atomic blocks (ExitBlock, Bruening & Chapin 2000): what a plan says about them and what a trace tells.
//
// A block of a thread begins after its previous lock exit, or with the thread, and ends just after its next one. Lock
// entries end no block, creating and joining threads neither. Which memory a block touched decides whether its order
// against another block matters.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/operation.hpp"
#include "model/trace.hpp"

namespace lockstep {

enum BlockFlags : uint8_t {
  kBlocksConflict = 1,       // a delayed thread stays so until a block conflicts with its own (ExitBlock-RW)
  kBlocksLocksWrite = 2,     // entering a lock counts as writing it
  kBlocksRunDelayed = 4,     // when only delayed threads could go on and somebody waits: let them
  kBlocksReadsConflict = 8,  // as printed in the paper, section 5.1: wrong, for tests
  kBlocksForgetLocks = 16,   // as in the paper: that a block ends holding a lock is no reason to be in its way
};

// One memory section of a plan or trace: `wanted` is what an aborted block waits for.
struct StoppedThread {
  ThreadId thread;
  bool aborted = false;     // its next block cannot be finished before `wanted` is given up; otherwise delayed
  bool everything = false;  // what its block touches is not known: conflicts with all
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

// Does it matter in which order these two happen? Reading alone does not conflict (the paper's formula is wrong there).
inline bool conflict(const Touched& a, const Touched& b, bool reads_too = false) {
  return (a.writes & b.writes) || (a.reads & b.writes) || (a.writes & b.reads) || (reads_too && (a.reads & b.reads));
}

// Does a block end with this step? A signal ends one only if somebody it woke can go on at once, or if its thread holds
// no lock: otherwise the signaller holds the lock that the waiter needs, before and after it waits.
inline bool ends_block(const Step& step, bool woke_somebody, bool holds_lock) {
  if (step.flags & Step::kYield) return true;
  if (step.kind == OpKind::CondSignal || step.kind == OpKind::CondBroadcast) return woke_somebody || !holds_lock;
  return leaves_lock(step.kind) || is_release(step.kind);
}

// Calls `add(word, bytes, write)` for what the step touches. Entering a lock reads it, so that two blocks that enter
// and leave it do not conflict by that; a block that leaves the lock in another state than it found it in, because
// locks are nested, writes it (see Blocks::note_lock), and so does every entry if `locks_write`.
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
