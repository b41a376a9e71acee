#include "runtime/detect/races.hpp"

namespace lockstep::rt {
namespace {

constexpr uint8_t kWrite = RaceAccess::kWrite, kAtomic = RaceAccess::kAtomic;

// Whatever conflicts with `old` also conflicts with `fresh`.
constexpr bool dominates(uint8_t fresh, uint8_t old) {
  return ((fresh & kWrite) || !(old & kWrite)) && (!(fresh & kAtomic) || (old & kAtomic));
}
constexpr bool conflicts(uint8_t a, uint8_t b) { return ((a | b) & kWrite) && !(a & b & kAtomic); }

// Visits every entry of a cell that belongs to this execution.
template <class F>
inline void for_each_entry(Cell& cell, uint16_t generation, F&& visit) {
  for (Entry& e : cell.entry) {
    if (e.generation != generation) continue;
    if (LIKELY(!(e.flags & Entry::kChain))) {
      visit(e);
      continue;
    }
    for (auto* chain = reinterpret_cast<Chain*>(e.where_who); chain; chain = chain->next)
      for (Entry& more : chain->entry)
        if (more.generation == generation) visit(more);
  }
}

}  // namespace

void Races::init(CallTree* calls) {
  calls_ = calls;
  clocks_.init();
  shadow_.init();
}

void Races::begin(bool on, bool ordered_too) {
  on_ = on;
  ordered_too_ = ordered_too;
  any_freed_ = false;
  active_ = false;
  count = 0;
  if (!on) return;
  clocks_.begin();
  shadow_.begin();
}

void Races::started(ThreadId child, ThreadId parent, uint32_t records) {
  if (!on_) return;
  active_ = true;
  clocks_.stepped(parent, records);
  clocks_.start(child, parent);
}

void Races::joined(ThreadId joiner, ThreadId finished, bool only_one) {
  if (!active_) return;
  clocks_.join(joiner, finished);
  active_ = !only_one || any_freed_;  // memory freed by others is still watched
}

void Races::check(Cell& cell, uintptr_t word, Entry fresh) {
  const ThreadId t = fresh.thread();
  Entry& first = cell.entry[0];
  if (first.generation != fresh.generation && cell.entry[1].generation != fresh.generation) {
    first = fresh;
    return;
  }
  if (first.covers(fresh) || cell.entry[1].covers(fresh)) return;
  // Mostly there is one entry, for the same bytes, and it is replaced.
  if (first.generation == fresh.generation && first.mask == fresh.mask && cell.entry[1].generation != fresh.generation &&
      !ordered_too_ && !(first.flags & RaceAccess::kFree) && dominates(fresh.flags, first.flags) && (first.thread() == t || clocks_.ordered(first.thread(), first.when, t))) {
    first = fresh;
    return;
  }
  check_all(cell, word, fresh);
}

// Apart from check(), in which the new entry stays in registers.
void Races::check_all(Cell& cell, uintptr_t word, Entry fresh) {
  const ThreadId t = fresh.thread();
  Entry* same_place = nullptr;
  for_each_entry(cell, fresh.generation, [&](Entry& old) {
    if (old.where_who == fresh.where_who && old.when == fresh.when && old.flags == fresh.flags) {
      same_place = &old;  // a loop over an array: the next bytes
      return;
    }
    if (!(old.mask & fresh.mask)) return;
    const bool ordered = old.thread() == t || clocks_.ordered(old.thread(), old.when, t);
    const bool race = !ordered && conflicts(old.flags, fresh.flags);
    const bool shared = ordered_too_ && old.thread() != t && conflicts(old.flags, fresh.flags);
    const bool dead = (old.flags & RaceAccess::kFree) && !(fresh.flags & RaceAccess::kFree);
    if (UNLIKELY(race || shared || dead)) report(old, fresh, word, ordered);
    if (!dominates(fresh.flags, old.flags) || (!ordered && !race)) return;
    old.mask &= static_cast<uint8_t>(~fresh.mask);
    if (!old.mask) old.generation = 0;
  });
  if (same_place)
    same_place->mask |= fresh.mask;
  else
    add(cell, fresh);
}

void Races::add(Cell& cell, const Entry& fresh) {
  const uint16_t generation = shadow_.generation();
  // The newest access goes first: it is the one most likely to be repeated.
  Entry& first = cell.entry[0];
  if (first.generation != generation) {
    first = fresh;
    return;
  }
  Entry& second = cell.entry[1];
  if (second.generation != generation) {
    second = first;
    first = fresh;
    return;
  }
  if (!(second.flags & Entry::kChain)) {
    Chain* chain = shadow_.new_chain();
    chain->entry[0] = second;
    second = {reinterpret_cast<uint64_t>(chain), 0, generation, 0xff, Entry::kChain};
  }
  auto* chain = reinterpret_cast<Chain*>(second.where_who);
  const Entry older = first;
  first = fresh;
  for (;; chain = chain->next) {
    for (Entry& slot : chain->entry)
      if (slot.generation != generation) {
        slot = older;
        return;
      }
    if (!chain->next) chain->next = shadow_.new_chain();
  }
}

void Races::range(ThreadId t, uintptr_t address, size_t size, uint8_t flags, uint64_t where) {
  while (size) {
    const unsigned offset = address & 7;
    const unsigned part = size < 8 - offset ? static_cast<unsigned>(size) : 8 - offset;
    access(t, address, part, flags, where);
    address += part;
    size -= part;
  }
}

void Races::freed(ThreadId t, uintptr_t address, size_t size, uint64_t where) {
  constexpr size_t kMostMarked = 1u << 20;
  constexpr uint8_t kFlags = kWrite | RaceAccess::kFree;
  if (size > kMostMarked) size = kMostMarked;
  any_freed_ = true;
  if (active_) {
    range(t, address, size, kFlags, where);
    return;
  }
  // Alone: nothing to check, only to remember. Blocks begin at a word of their own.
  const Entry entry{where | static_cast<uint64_t>(index_of(t)) << 48, clocks_.now(t), shadow_.generation(), 0xff, kFlags};
  for (size_t done = 0; done < size; done += 8) {
    Cell& cell = shadow_.cell(address + done);
    cell.entry[0] = entry;
    cell.entry[1].generation = 0;
  }
}

void Races::reused(uintptr_t address, size_t size) {
  for (size_t done = 0; done < size; done += 8)
    if (shadow_.touched(address + done))
      for (Entry& e : shadow_.cell(address + done).entry) e.generation = 0;
}

void Races::report(const Entry& old, const Entry& fresh, uintptr_t word, bool ordered) {
  const uint64_t a = calls_->pc(old.where()), b = calls_->pc(fresh.where());
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t x = calls_->pc(found[i].first.pc), y = calls_->pc(found[i].second.pc);
    if (found[i].ordered() == ordered && ((x == a && y == b) || (x == b && y == a))) return;
  }
  if (count == kMost) return;
  const uintptr_t address = word + static_cast<unsigned>(__builtin_ctz(old.mask & fresh.mask));
  auto describe = [address, ordered](const Entry& e) {
    RaceAccess access{};
    access.pc = e.where();
    access.address = address;
    access.step = Clocks::records_at(e.when);
    access.size = static_cast<uint32_t>(__builtin_popcount(e.mask));
    access.thread = e.thread();
    access.flags = static_cast<uint8_t>(e.flags | (ordered ? RaceAccess::kOrdered : 0));
    return access;
  };
  found[count++] = {describe(old), describe(fresh)};
}

}  // namespace lockstep::rt
