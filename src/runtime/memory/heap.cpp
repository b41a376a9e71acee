// The arenas of the heap: allocation, release and records of blocks.
#include "runtime/memory/heap.hpp"

#include <sys/mman.h>

#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"

namespace lockstep::rt {
namespace {

constexpr uint32_t kLive = 0x4c495645, kFreed = 0x46524545;
constexpr size_t kArenaBytes = kArenaStride - (1ull << 24);
constexpr size_t kQuarantine = 64ull << 20;
constexpr size_t kCheapToZero = 256ull << 10;

// Arenas start at different cache sets; with equal offsets all threads would compete for the same sets.
char* arena_start(unsigned index) {
  return reinterpret_cast<char*>(kArenaBase + index * kArenaStride + (index % 61) * (4096 + 192));
}

unsigned size_class(size_t size) { return static_cast<unsigned>(64 - __builtin_clzll((size | 15) - 1)) - 4; }
size_t class_size(unsigned c) { return size_t{1} << (c + 4); }

class Spin {
 public:
  explicit Spin(uint32_t& word) : word_(word) {
    while (__atomic_exchange_n(&word_, 1, __ATOMIC_ACQUIRE)) sys(SYS_sched_yield);
  }
  ~Spin() { __atomic_store_n(&word_, 0, __ATOMIC_RELEASE); }

 private:
  uint32_t& word_;
};

}  // namespace

Heap::Arena& Heap::arena(unsigned index) {
  if (UNLIKELY(!arenas_)) {
    arenas_ = static_cast<Arena*>(map_pages(sizeof(Arena) * kArenas));
    mapped_ = static_cast<bool*>(map_unsaved_pages(kArenas));
  }
  Arena& a = arenas_[index];
  if (UNLIKELY(!a.base)) {
    if (!mapped_[index] && !map_fixed(kArenaBase + index * kArenaStride, kArenaBytes, PROT_READ | PROT_WRITE))
      die("cannot map a heap arena");
    mapped_[index] = true;
    a.base = a.next = a.high = arena_start(index);
  }
  return a;
}

unsigned Heap::current_arena() const {
  if (LIKELY(controlled())) return index_of(runtime.current->id);
  return booted_ ? kPersistent : kBoot;
}

void* Heap::allocate_in(unsigned index, size_t size, size_t alignment, uint64_t where) {
  Arena& a = arena(index);
  if (size > kArenaBytes) return nullptr;
  if (alignment < 16) alignment = 16;
  const bool reuse = index == kPersistent || a.next > a.base + kQuarantine;
  if (UNLIKELY(reuse) && alignment == 16) {
    const unsigned c = size_class(size ? size : 1);
    if (c < 48 && a.reusable[c]) {
      void* p = a.reusable[c];
      a.reusable[c] = *static_cast<void**>(p);
      Block& b = block_of(p);
      zero_bytes(p, size);
      if (on_reuse) on_reuse(reinterpret_cast<uintptr_t>(p), size);
      b.size = size;
      b.state = kLive;
      b.made = Made::Malloc;
      ++a.live;
      if (UNLIKELY(keeps_records_))
        if (Record* known = find_record(reinterpret_cast<uintptr_t>(p))) known->where = where;
      return p;
    }
  }
  // Past the quarantine bound, blocks have the size of their class, so that they can be reused for any size of it.
  const size_t room = reuse ? class_size(size_class(size ? size : 1)) : size;
  uintptr_t p = reinterpret_cast<uintptr_t>(a.next) + sizeof(Block);
  p = (p + alignment - 1) & ~(alignment - 1);
  char* next = reinterpret_cast<char*>((p + room + 15) & ~uintptr_t{15});
  if (UNLIKELY(next > reinterpret_cast<char*>(kArenaBase + index * kArenaStride + kArenaBytes))) return nullptr;
  a.next = next;
  Block& b = block_of(reinterpret_cast<void*>(p));
  b.size = size;
  b.state = kLive;
  b.arena = static_cast<uint16_t>(index);
  b.made = Made::Malloc;
  if (UNLIKELY(keeps_records_) && index < kMaxThreads) record(a, p, where);
  ++a.live;
  if (index < kMaxThreads && index >= used_arenas_) used_arenas_ = index + 1;
  return reinterpret_cast<void*>(p);
}

void* Heap::allocate(size_t size, size_t alignment, uint64_t where) {
  const unsigned index = current_arena();
  if (LIKELY(index < kMaxThreads)) return allocate_in(index, size, alignment, where);
  Spin guard(lock_);
  return allocate_in(index, size, alignment, 0);
}

void Heap::record(Arena& a, uintptr_t begin, uint64_t where) {
  if (UNLIKELY(!a.records)) a.records = static_cast<Record*>(map_pages(sizeof(Record) * kMaxRecords));
  if (LIKELY(a.serial < kMaxRecords)) a.records[a.serial++] = {begin, where};
}

Heap::Record* Heap::find_record(uintptr_t address) const {
  if (!arenas_ || address < kArenaBase || address >= kArenaBase + kMaxThreads * kArenaStride) return nullptr;
  const Arena& a = arenas_[(address - kArenaBase) / kArenaStride];
  uint32_t low = 0, high = a.records ? a.serial : 0;  // records[low - 1] begins at or before the address
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (a.records[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &a.records[low - 1] : nullptr;
}

const Heap::Record* Heap::record_of(uintptr_t address) const {
  const Record* r = find_record(address);
  return r && address - r->begin < (size_of(*r) ? size_of(*r) : 1) ? r : nullptr;
}

const Heap::Record* Heap::records(ThreadId t, uint32_t* count) const {
  const Arena* a = arenas_ ? &arenas_[index_of(t)] : nullptr;
  *count = a && a->records ? a->serial : 0;
  return a ? a->records : nullptr;
}

bool Heap::is_live(const void* pointer) const { return block_of(pointer).state == kLive; }
bool Heap::live(const Record& record) { return block_of(reinterpret_cast<void*>(record.begin)).state == kLive; }
uint64_t Heap::size_of(const Record& record) { return block_of(reinterpret_cast<void*>(record.begin)).size; }

void Heap::release(void* pointer) {
  Block& b = block_of(pointer);
  if (UNLIKELY(b.state != kLive)) {
    if (!controlled()) return;
    on_bad_free(pointer, b.state == kFreed);
  }
  b.state = kFreed;
  if (b.arena >= kArenas) return;
  Arena& a = arenas_[b.arena];
  --a.live;
  const bool own = b.arena == current_arena();
  const bool quarantine_over = b.arena == kPersistent || a.next > a.base + kQuarantine;
  if (LIKELY(!own || !quarantine_over)) return;
  const unsigned c = size_class(b.size ? b.size : 1);
  // Only blocks with the size of their class may be reused; blocks from before the bound have their exact size.
  const bool whole_class = b.arena == kPersistent || static_cast<char*>(pointer) > a.base + kQuarantine;
  if (c >= 48 || !whole_class) return;
  *static_cast<void**>(pointer) = a.reusable[c];
  a.reusable[c] = pointer;
}

void* Heap::resize(void* pointer, size_t size, uint64_t where) {
  Block& b = block_of(pointer);
  const size_t old = b.size;
  void* fresh = allocate(size, 16, where);
  if (!fresh) return nullptr;
  copy_bytes(fresh, pointer, old < size ? old : size);
  release(pointer);
  return fresh;
}

size_t Heap::usable_size(const void* pointer) const { return pointer ? block_of(pointer).size : 0; }

void Heap::clear(char* from, char* to) {
  const size_t used = static_cast<size_t>(to - from);
  zero_bytes(from, used < kCheapToZero ? used : kCheapToZero);
  if (used <= kCheapToZero) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(from) + kCheapToZero) & ~uintptr_t{4095};
  const uintptr_t end = (reinterpret_cast<uintptr_t>(to) + 4095) & ~uintptr_t{4095};
  sys(SYS_madvise, static_cast<long>(begin), static_cast<long>(end - begin), MADV_DONTNEED);
}

void Heap::clear_after_restore(unsigned thread, Extent before) {
  const Arena& a = arenas_[thread];
  char* from = a.base ? a.next : before.begin;
  if (before.end > from) clear(from, before.end);
}

void Heap::begin_execution(bool keep) {
  for (unsigned i = 0; i < used_arenas_; ++i) {
    Arena& a = arenas_[i];
    if (!a.base || a.next == a.base) continue;
    a.serial = 0;
    for (void*& list : a.reusable) list = nullptr;
    if (keep && a.live) {
      a.base = a.next;  // initial state that is built on demand stays; its memory is never moved
      a.live = 0;
      continue;
    }
    clear(a.base, a.next);
    a.next = a.base;
    a.live = 0;
  }
  used_arenas_ = 0;
}

void Heap::boot_done() { booted_ = true; }
uintptr_t Heap::boot_begin() const { return arenas_ ? kArenaBase + kBoot * kArenaStride : 0; }
uintptr_t Heap::boot_end() const {
  if (!arenas_ || !arenas_[kBoot].base) return boot_begin();
  return (reinterpret_cast<uintptr_t>(arenas_[kBoot].next) + 4095) & ~uintptr_t{4095};
}

const Module heap_module = {
    .name = "heap",
    .at_snapshot = [] { heap.boot_done(); },
    .before_execution =
        [] {
          heap.begin_execution(runtime.isolation == Isolation::Loop);
          heap.keep_records(settings.keeps_blocks);
        },
};

}  // namespace lockstep::rt
