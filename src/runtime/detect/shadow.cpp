// Allocates the shadow memory.
#include "runtime/detect/shadow.hpp"

#include <sys/mman.h>

namespace lockstep::rt {
namespace {
constexpr size_t kArenaCells = (64ull << 20) / sizeof(Cell);
constexpr size_t kShadowBytes = 16ull << 30;  // virtual memory
}  // namespace

void Shadow::init() {
  chunks_ = static_cast<Cell**>(map_pages(sizeof(void*) * (kChunkMask + 1)));
  pool_.init(kShadowBytes);
}

void Shadow::begin() {
  pool_.clear();
  unused_ = nullptr;
  if (LIKELY(++generation_ != 0)) return;
  // The generation has wrapped: old entries would look current.
  for (unsigned i = 0; i < arena_count_; ++i)
    sys(SYS_madvise, word(arenas_[i].base), static_cast<long>(arenas_[i].bytes), MADV_DONTNEED);
  generation_ = 1;
}

Cell* Shadow::add_chunk(uintptr_t address) {
  constexpr size_t kCells = kChunkBytes / 8;
  if (arena_left_ < kCells) {
    if (arena_count_ == sizeof arenas_ / sizeof arenas_[0]) die("the race detector ran out of shadow memory");
    arena_ = static_cast<Cell*>(map_pages(kArenaCells * sizeof(Cell)));
    arena_left_ = kArenaCells;
    arenas_[arena_count_++] = {arena_, kArenaCells * sizeof(Cell)};
  }
  Cell* chunk = arena_;
  arena_ += kCells;
  arena_left_ -= kCells;
  chunks_[address >> kChunkShift & kChunkMask] = chunk;
  return chunk;
}

}  // namespace lockstep::rt
