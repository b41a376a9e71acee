// Interns sets of locks and caches their intersections.
#include "runtime/detect/locksets.hpp"

namespace lockstep::rt {
namespace {

constexpr size_t kLocksetBytes = 64ull << 20;  // virtual memory
constexpr unsigned kKnown = 1u << 12;

}  // namespace

void LockSets::init() {
  sets_ = static_cast<Set*>(map_pages(sizeof(Set) * (kMost + 1)));
  bucket_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kBuckets));
  stamp_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kBuckets));
  known_ = static_cast<Known*>(map_pages(sizeof(Known) * kKnown));
  pool_.init(kLocksetBytes);
}

void LockSets::begin() {
  ++generation_;
  pool_.clear();
  count_ = 1;
  sets_[kNone] = {nullptr, 0, 0};
}

LockSets::Id LockSets::number_of(const uint64_t* locks, unsigned count) {
  if (count == 0) return kNone;
  uint64_t hash = count;
  for (unsigned i = 0; i < count; ++i) hash = (hash ^ locks[i]) * 0x9e3779b97f4a7c15ull;
  const unsigned b = static_cast<unsigned>(hash >> 40) % kBuckets;
  if (stamp_[b] != generation_) {
    stamp_[b] = generation_;
    bucket_[b] = 0;
  }
  for (uint32_t s = bucket_[b]; s; s = sets_[s].next) {
    bool same = sets_[s].count == count;
    for (unsigned i = 0; same && i < count; ++i) same = sets_[s].lock[i] == locks[i];
    if (same) return static_cast<Id>(s);
  }
  if (count_ == kMost) return kUnknown;
  auto* copy = static_cast<uint64_t*>(pool_.take(sizeof(uint64_t) * count));
  for (unsigned i = 0; i < count; ++i) copy[i] = locks[i];
  sets_[count_] = {copy, count, bucket_[b]};
  bucket_[b] = count_;
  return static_cast<Id>(count_++);
}

LockSets::Id LockSets::with(Id set, uint64_t lock) {
  if (set == kUnknown || sets_[set].count == kLargest) return kUnknown;
  uint64_t locks[kLargest + 1];
  unsigned n = 0;
  bool placed = false;
  for (unsigned i = 0; i < sets_[set].count; ++i) {
    const uint64_t other = sets_[set].lock[i];
    if (other == lock) return set;
    if (!placed && other > lock) {
      locks[n++] = lock;
      placed = true;
    }
    locks[n++] = other;
  }
  if (!placed) locks[n++] = lock;
  return number_of(locks, n);
}

LockSets::Id LockSets::without(Id set, uint64_t lock) {
  if (set == kUnknown) return kUnknown;
  uint64_t locks[kLargest + 1];
  unsigned n = 0;
  for (unsigned i = 0; i < sets_[set].count; ++i)
    if (sets_[set].lock[i] != lock) locks[n++] = sets_[set].lock[i];
  return number_of(locks, n);
}

LockSets::Id LockSets::common(Id a, Id b) {
  if (a == b || b == kUnknown) return a;
  if (a == kUnknown) return b;
  if (a == kNone || b == kNone) return kNone;
  const uint32_t pair = a < b ? uint32_t{a} << 16 | b : uint32_t{b} << 16 | a;
  Known& known = known_[(pair * 0x9e3779b1u) >> 20];
  if (known.generation == generation_ && known.pair == pair) return known.result;
  uint64_t locks[kLargest + 1];
  unsigned n = 0;
  for (unsigned i = 0, k = 0; i < sets_[a].count && k < sets_[b].count;) {
    const uint64_t x = sets_[a].lock[i], y = sets_[b].lock[k];
    if (x == y) locks[n++] = x;
    i += x <= y;
    k += y <= x;
  }
  known = {generation_, pair, number_of(locks, n)};
  return known.result;
}

}  // namespace lockstep::rt
