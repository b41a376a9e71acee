// The state machine of Eraser, for each byte.
#include "runtime/detect/eraser.hpp"

#include <sys/mman.h>

#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"

namespace lockstep::rt {

constinit Eraser eraser{};
namespace {
constexpr uintptr_t kChunks = 1ull << (47 - 16);
}  // namespace

// Follows the entries of kChunkBytes bytes, in a page of its own.
struct Eraser::ChunkEnd {
  Byte* before;  // the chunk allocated before this one
};

Eraser::ChunkEnd& Eraser::end_of(Byte* chunk) { return *reinterpret_cast<ChunkEnd*>(chunk + kChunkBytes); }

void Eraser::init() {
  chunks_ = static_cast<Byte**>(map_pages(sizeof(Byte*) * kChunks));
  held_ = static_cast<Held*>(map_pages(sizeof(Held) * kMaxThreads));
  sets_.init();
}

void Eraser::begin(bool on) {
  on_ = on;
  count = 0;
  if (!on) return;
  sets_.begin();
  if (++generation_ >> 16 == 0) return;
  generation_ = 1;  // old entries would look current
  for (Byte* chunk = newest_; chunk; chunk = end_of(chunk).before)
    sys(SYS_madvise, word(chunk), static_cast<long>(kChunkBytes * sizeof(Byte)), MADV_DONTNEED);
  zero_bytes(held_, sizeof(Held) * kMaxThreads);
}

Eraser::Held& Eraser::held(ThreadId t) {
  Held& h = held_[index_of(t)];
  if (h.generation != generation_) h = {generation_, LockSets::kNone, LockSets::kNone};
  return h;
}

void Eraser::locked(ThreadId t, const void* lock, bool write) {
  if (LIKELY(!on_)) return;
  Held& h = held(t);
  h.all = sets_.with(h.all, reinterpret_cast<uint64_t>(lock));
  if (write) h.write = sets_.with(h.write, reinterpret_cast<uint64_t>(lock));
}

void Eraser::unlocked(ThreadId t, const void* lock) {
  if (LIKELY(!on_)) return;
  Held& h = held(t);
  h.all = sets_.without(h.all, reinterpret_cast<uint64_t>(lock));
  h.write = sets_.without(h.write, reinterpret_cast<uint64_t>(lock));
}

Eraser::Byte* Eraser::bytes(uintptr_t address) {
  Byte*& chunk = chunks_[address >> kChunkShift & (kChunks - 1)];
  if (UNLIKELY(!chunk)) {
    chunk = static_cast<Byte*>(map_pages(kChunkBytes * sizeof(Byte) + kPage));
    end_of(chunk).before = newest_;
    newest_ = chunk;
  }
  return chunk + (address & (kChunkBytes - 1));
}

Eraser::Byte Eraser::next(Byte now, ThreadId t, bool write) {
  const Held& h = held(t);
  const LockSets::Id mine = write ? h.write : h.all;
  const bool seen = now >> 16 == generation_;
  const auto state = static_cast<State>(seen ? now >> kIdBits & 3 : kVirgin);
  const unsigned id = now & ((1u << kIdBits) - 1);
  switch (state) {
    case kVirgin: return pack(kExclusive, index_of(t));
    case kExclusive:
      if (id == index_of(t)) return now;
      return pack(write ? kSharedModified : kShared, mine);
    case kShared: return pack(write ? kSharedModified : kShared, sets_.common(static_cast<LockSets::Id>(id), mine));
    case kSharedModified: return pack(kSharedModified, sets_.common(static_cast<LockSets::Id>(id), mine));
  }
  return now;
}

Eraser::Breach* Eraser::access(ThreadId t, uintptr_t address, size_t size, bool write, uint64_t where) {
  bool bad = false;
  uintptr_t first_bad = 0;
  Byte before = 0, after = 0;
  for (size_t i = 0; i < size; ++i) {
    Byte& b = *bytes(address + i);
    if (i == 0 || b != before) {
      before = b;
      after = next(b, t, write);
    }
    b = after;
    if (!bad && after == pack(kSharedModified, LockSets::kNone)) {
      bad = true;
      first_bad = address + i;
    }
  }
  return UNLIKELY(bad) ? report(t, first_bad, write, where) : nullptr;
}

void Eraser::fresh(uintptr_t address, size_t size) {
  const uintptr_t end = address + size;
  for (uintptr_t at = address; at < end;) {
    const uintptr_t next_chunk = (at | (kChunkBytes - 1)) + 1;
    if (!chunks_[at >> kChunkShift & (kChunks - 1)]) {
      at = next_chunk;
      continue;
    }
    for (; at < end && at < next_chunk; ++at) *bytes(at) = 0;
  }
}

Eraser::Breach* Eraser::report(ThreadId t, uintptr_t address, bool write, uint64_t where) {
  for (unsigned i = 0; i < count; ++i)
    if (found[i].where == where || found[i].address == address) return nullptr;
  if (count == kMost) return nullptr;
  found[count] = {where, address, t, write, {}};
  return &found[count++];
}

const Module eraser_module = {
    .name = "lock discipline",
    .start =
        [] {
          if (runtime.channel->check_locks && runtime.instrumented) eraser.init();
        },
    .before_execution = [] { eraser.begin(settings.checks_locks && settings.plan->tracked == 0); },
};

}  // namespace lockstep::rt
