#include "runtime/detect/races.hpp"

namespace lockstep::rt {
namespace {

constexpr uint8_t kWrite = RaceAccess::kWrite, kAtomic = RaceAccess::kAtomic;

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
  more = false;
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

// What an earlier access to the same word means for a new one. True: it was the same access, whose bytes are now added.
inline __attribute__((always_inline)) bool Races::meet(Entry& old, uintptr_t word, const Entry& fresh) {
  if (old.where_who == fresh.where_who && old.when == fresh.when && old.flags == fresh.flags) {
    old.mask |= fresh.mask;  // a loop over an array: the next bytes
    return true;
  }
  if (!(old.mask & fresh.mask)) return false;
  const bool mine = (old.where_who ^ fresh.where_who) >> 48 == 0;
  const bool ordered = mine || clocks_.ordered(old.thread(), old.when, fresh.thread());
  const bool conflict = conflicts(old.flags, fresh.flags);
  const bool race = !ordered && conflict;
  const bool shared = ordered_too_ && !mine && conflict;
  const bool dead = (old.flags & RaceAccess::kFree) && !(fresh.flags & RaceAccess::kFree);
  if (UNLIKELY(race || shared || dead)) report(old, fresh, word, ordered);
  if (!dominates(fresh.flags, old.flags) || (!ordered && !race)) return false;
  old.mask &= static_cast<uint8_t>(~fresh.mask);
  if (!old.mask) old.generation = 0;
  return false;
}

void Races::check(Cell& cell, uintptr_t word, Entry fresh) {
  Entry &first = cell.entry[0], &second = cell.entry[1];
  const bool two = second.generation == fresh.generation;
  if (UNLIKELY(two && (second.flags & Entry::kChain))) {
    check_chain(cell, word, fresh);
    return;
  }
  bool taken = first.generation == fresh.generation && meet(first, word, fresh);
  if (two) taken |= meet(second, word, fresh);
  if (taken) return;
  // The newest access goes first: it is the one most likely to be repeated.
  if (first.generation == fresh.generation) {
    if (UNLIKELY(second.generation == fresh.generation)) {
      add(cell, fresh);
      return;
    }
    second = first;
  }
  first = fresh;
}

void Races::check_chain(Cell& cell, uintptr_t word, Entry fresh) {
  bool taken = false;
  for_each_entry(cell, fresh.generation, [&](Entry& old) { taken |= meet(old, word, fresh); });
  // Most words get rid of their chain once one thread has taken them over.
  auto* chain = reinterpret_cast<Chain*>(cell.entry[1].where_who);
  const Entry* only = nullptr;
  unsigned live = 0;
  for (const Chain* c = chain; c && live < 2; c = c->next)
    for (const Entry& e : c->entry)
      if (e.generation == fresh.generation) {
        ++live;
        only = &e;
      }
  if (live < 2) {
    if (only)
      cell.entry[1] = *only;
    else
      cell.entry[1].generation = 0;
    shadow_.give_back(chain);
  }
  if (taken) return;
  if (cell.entry[0].generation == fresh.generation && cell.entry[1].generation == fresh.generation) {
    add(cell, fresh);
    return;
  }
  if (cell.entry[0].generation == fresh.generation) cell.entry[1] = cell.entry[0];
  cell.entry[0] = fresh;
}

void Races::add(Cell& cell, const Entry& fresh) {
  const uint16_t generation = shadow_.generation();
  Entry &first = cell.entry[0], &second = cell.entry[1];
  if (first.generation != generation) {
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
  if ((address & 7) + size > 8) {
    flags |= RaceAccess::kRange;
    range_begin_ = address;
  }
  while (size) {
    const unsigned offset = address & 7;
    const unsigned part = size < 8 - offset ? static_cast<unsigned>(size) : 8 - offset;
    access(t, address, part, flags, where);
    address += part;
    size -= part;
  }
  range_begin_ = 0;
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
  // Alone: nothing to check yet, only to remember. Blocks begin at a word of their own.
  active_ = true;
  const Entry entry{where | static_cast<uint64_t>(index_of(t)) << 48, clocks_.now(t), shadow_.generation(), 0xff,
                    kFlags};
  for (size_t done = 0; done < size; done += 8) {
    Cell& cell = shadow_.cell(address + done);
    cell.entry[0] = entry;
    cell.entry[1].generation = 0;
  }
}

void Races::reused(uintptr_t address, size_t size) {
  const uintptr_t end = address + size;
  for (uintptr_t at = address & ~uintptr_t{7}; at < end;) {
    const uintptr_t next_chunk = (at | (Shadow::kChunkBytes - 1)) + 1;
    if (!shadow_.touched(at)) {
      at = next_chunk;
      continue;
    }
    for (; at < end && at < next_chunk; at += 8)
      for (Entry& e : shadow_.cell(at).entry) e.generation = 0;
  }
}

bool Races::is_freed(uintptr_t address) {
  if (!any_freed_ || !shadow_.touched(address)) return false;
  bool freed = false;
  for_each_entry(shadow_.cell(address), shadow_.generation(),
                 [&](Entry& e) { freed = freed || (e.flags & RaceAccess::kFree); });
  return freed;
}

void Races::used_freed(ThreadId t, uintptr_t address, uint64_t where) {
  const Entry fresh{where | static_cast<uint64_t>(index_of(t)) << 48, clocks_.now(t), shadow_.generation(), 0xff,
                    kAtomic | kWrite};
  for_each_entry(shadow_.cell(address), shadow_.generation(), [&](Entry& old) {
    if (old.flags & RaceAccess::kFree) report(old, fresh, address & ~uintptr_t{7}, true);
  });
}

void Races::freed_again(ThreadId t, uintptr_t address, uint64_t where) {
  constexpr uint8_t kFlags = kWrite | RaceAccess::kFree;
  const Entry fresh{where | static_cast<uint64_t>(index_of(t)) << 48, clocks_.now(t), shadow_.generation(), 0xff,
                    kFlags};
  if (!shadow_.touched(address)) return;
  for_each_entry(shadow_.cell(address), shadow_.generation(), [&](Entry& old) {
    if (old.flags & RaceAccess::kFree) report(old, fresh, address & ~uintptr_t{7}, true);
  });
}

void Races::used_dead_stack(ThreadId t, uintptr_t address, unsigned size, uint8_t flags, uint64_t where,
                            ThreadId owner) {
  const auto mask = static_cast<uint8_t>(((1u << (size < 8 ? size : 8)) - 1) << (address & 7));
  const Entry fresh{where | static_cast<uint64_t>(index_of(t)) << 48, clocks_.now(t), shadow_.generation(), mask,
                    flags};
  const Entry ended{static_cast<uint64_t>(index_of(owner)) << 48, clocks_.now(owner), shadow_.generation(), mask,
                    static_cast<uint8_t>(kWrite | RaceAccess::kFree)};
  if (mask) report(ended, fresh, address & ~uintptr_t{7}, true);
}

bool Races::last_by_another(uintptr_t address, ThreadId t, RaceAccess& out) {
  if (!shadow_.touched(address)) return false;
  bool found_one = false;
  const unsigned bit = 1u << (address & 7);
  for_each_entry(shadow_.cell(address), shadow_.generation(), [&](Entry& e) {
    if (found_one || e.thread() == t || !(e.mask & bit)) return;
    found_one = true;
    out.pc = e.where();
    out.thread = e.thread();
    out.step = Clocks::records_at(e.when);
    out.flags = e.flags;
  });
  return found_one;
}

// Where the access began of which `entry` is the part in `word`. Equal ones side by side, of one epoch, are taken for
// one: then more is thought to belong together than does, which is safe.
uintptr_t Races::beginning_of(const Entry& entry, uintptr_t word) {
  constexpr uintptr_t kFarthest = 1u << 20;
  const uintptr_t first = word + static_cast<unsigned>(__builtin_ctz(entry.mask));
  if (!(entry.flags & RaceAccess::kRange) || !(entry.mask & 1)) return first;
  uintptr_t begin = word;
  for (bool goes_on = true; goes_on && word - begin < kFarthest && shadow_.touched(begin - 8);) {
    goes_on = false;
    for_each_entry(shadow_.cell(begin - 8), entry.generation, [&](Entry& e) {
      if (e.where_who == entry.where_who && e.when == entry.when && e.flags == entry.flags && (e.mask & 0x80)) {
        begin = begin - 8 + static_cast<unsigned>(__builtin_ctz(e.mask));
        goes_on = !(begin & 7);
      }
    });
  }
  return begin;
}

void Races::report(const Entry& old, const Entry& fresh, uintptr_t word, bool ordered) {
  const uint64_t a = calls_->pc(old.where()), b = calls_->pc(fresh.where());
  const uintptr_t old_begin = beginning_of(old, word);
  const uintptr_t fresh_begin = range_begin_ ? range_begin_ : word + static_cast<unsigned>(__builtin_ctz(fresh.mask));
  const bool told_by_word =
      ((old.flags | fresh.flags) & (kAtomic | RaceAccess::kRange)) != 0;  // an Alias may be needed
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t x = calls_->pc(found[i].first.pc), y = calls_->pc(found[i].second.pc);
    if (told_by_word &&
        (word_of(found[i].first.begin) != word_of(old_begin) || word_of(found[i].second.begin) != word_of(fresh_begin)))
      continue;
    if (found[i].ordered() == ordered && ((x == a && y == b) || (x == b && y == a))) return;
  }
  if (count == kMost) {
    more = true;
    return;
  }
  const uintptr_t address = word + static_cast<unsigned>(__builtin_ctz(old.mask & fresh.mask));
  auto describe = [address, ordered](const Entry& e, uintptr_t begin) {
    RaceAccess access{};
    access.pc = e.where();
    access.address = address;
    access.begin = begin;
    access.step = Clocks::records_at(e.when);
    access.size = static_cast<uint32_t>(__builtin_popcount(e.mask));
    access.thread = e.thread();
    access.flags = static_cast<uint8_t>(e.flags | (ordered ? RaceAccess::kOrdered : 0));
    return access;
  };
  found[count++] = {describe(old, old_begin), describe(fresh, fresh_begin)};
}

}  // namespace lockstep::rt
