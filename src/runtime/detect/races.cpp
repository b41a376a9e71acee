// Compares each access with the remembered accesses to its word.
#include "runtime/detect/races.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/memory/heap.hpp"

namespace lockstep::rt {

constinit RaceDetector race_detector{};
namespace {

constexpr uint8_t kAtomic = RaceAccess::kAtomic;

constexpr bool conflicts(uint8_t a, uint8_t b) { return ((a | b) & kWrite) && !(a & b & kAtomic); }

}  // namespace

void RaceDetector::init(CallTree* calls) {
  calls_ = calls;
  clocks_.init();
  shadow_.init();
}

void RaceDetector::begin(bool on, bool ordered_too) {
  on_ = on;
  ordered_too_ = ordered_too;
  any_freed_ = false;
  only_one_thread();
  count = 0;
  more = lifetimes = false;
  if (!on) return;
  clocks_.begin();
  shadow_.begin();
}

void RaceDetector::started(ThreadId child, ThreadId parent, uint32_t records) {
  if (!on_) return;
  active_ = true;
  others_ &= kOthers;
  clocks_.stepped(parent, records);
  clocks_.start(child, parent);
}

void RaceDetector::joined(ThreadId joiner, ThreadId finished, bool only_one) {
  if (!active_) return;
  clocks_.join(joiner, finished);
  if (only_one) only_one_thread();
}

// True if there is no earlier access, or nothing to report about it.
inline bool RaceDetector::ordered_before(const Entry& old, const Entry& fresh) const {
  if (old.generation() != fresh.generation()) return true;
  return !ordered_too_ && !(old.flags() & Entry::kChain) && comes_before(old, fresh);
}

// Compares a new access with an earlier one to the same word.
inline __attribute__((always_inline)) void RaceDetector::meet(Entry& old, uintptr_t word, Entry& fresh) {
  if (old.where_who == fresh.where_who && old.when() == fresh.when() && old.flags() == fresh.flags()) {
    fresh.add_bytes(old);  // a loop over an array: the next bytes
    old.forget();
    return;
  }
  if (!(old.mask() & fresh.mask())) return;
  const bool mine = old.same_thread(fresh);
  const bool ordered = comes_before(old, fresh);
  const bool conflict = conflicts(old.flags(), fresh.flags());
  const bool race = !ordered && conflict;
  const bool shared = ordered_too_ && !mine && conflict;
  const bool dead = (old.flags() & RaceAccess::kFree) && !(fresh.flags() & RaceAccess::kFree);
  if (UNLIKELY(race || shared || dead)) report(old, fresh, word, ordered);
  if (!dominates(fresh.flags(), old.flags()) || (!ordered && !race)) return;
  old.remove_bytes(fresh);
}

// What happens to an earlier access, in the simple cases.
inline RaceDetector::Fate RaceDetector::fate_of(const Entry& old, const Entry& fresh) const {
  if (old.apart_from(fresh)) return Fate::Stays;
  if (old.repeated_by(fresh)) return Fate::Goes;
  const bool conflict = conflicts(old.flags(), fresh.flags());
  const bool goes = dominates(fresh.flags(), old.flags()) && old.within(fresh);
  if (!conflict && !goes) return Fate::Stays;
  if (!comes_before(old, fresh)) return conflict ? Fate::Unclear : Fate::Stays;
  return old.flags() & RaceAccess::kFree ? Fate::Unclear : goes ? Fate::Goes : Fate::Stays;
}

// The word has a few entries more than two, and none of them races with the new one.
inline bool RaceDetector::pass_on_chain(Cell& cell, const Entry& fresh) {
  Entry &first = cell.entry[0], &second = cell.entry[1];
  uint32_t count = second.when();
  if (!(second.flags() & Entry::kChain) || !second.of(fresh.generation()) || !first.of(fresh.generation()) ||
      count > Chain::kEntries || ordered_too_)
    return false;
  auto* const chain = reinterpret_cast<Chain*>(second.where_who);
  const Fate of_first = fate_of(first, fresh);
  if (of_first == Fate::Unclear) return false;
  uint32_t gone = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Fate fate = fate_of(chain->entry[i], fresh);
    if (fate == Fate::Unclear) return false;
    gone |= static_cast<uint32_t>(fate == Fate::Goes) << i;
  }
  if (of_first == Fate::Stays) {
    if (gone == 0 && count == Chain::kEntries) return false;
    chain->entry[gone ? __builtin_ctz(gone) : count++] = first;
    gone &= gone - 1;
  }
  for (; gone; gone &= ~(1u << (31 - __builtin_clz(gone))))
    chain->entry[31 - __builtin_clz(gone)] = chain->entry[--count];
  first = fresh;
  if (count > 1) {
    second.set_when(count);
    return true;
  }
  second = count ? chain->entry[0] : Entry();
  shadow_.give_back(chain);
  return true;
}

// The usual cases: a word that is accessed as a whole, in a known order, or a word of two adjacent variables. Then the
// decision which entries to keep is simple.
void RaceDetector::compare(Cell& cell, uintptr_t address, Entry fresh) {
  Entry &first = cell.entry[0], &second = cell.entry[1];
  if (pass_on_chain(cell, fresh)) return;
  if (first.covers(fresh) || second.covers(fresh)) return;
  bool usual = !ordered_too_, keeps_first = false, keeps_second = false;
  if (first.of(fresh.generation())) {
    const bool alike = first.alike(fresh) && comes_before(first, fresh);
    usual &= alike || first.apart_from(fresh);
    keeps_first = !alike || !dominates(fresh.flags(), first.flags());
  }
  if (second.of(fresh.generation())) {
    const bool alike = second.alike(fresh) && comes_before(second, fresh);
    usual &= alike || second.apart_from(fresh);
    keeps_second = !alike || !dominates(fresh.flags(), second.flags());
  }
  if (UNLIKELY(!usual || (keeps_first && keeps_second))) {
    check(cell, address & ~uintptr_t{7}, fresh);
    return;
  }
  // A thread that alternates reads and writes: keeps both entries, so that both are found again.
  if (!keeps_second) second = keeps_first || first.in_turn_with(fresh) ? first : Entry();
  first = fresh;
}

// The newest access is stored first: it is the most likely to be repeated.
void RaceDetector::check(Cell& cell, uintptr_t word, Entry fresh) {
  Entry &first = cell.entry[0], &second = cell.entry[1];
  const bool two = second.generation() == fresh.generation();
  if (UNLIKELY(two && (second.flags() & Entry::kChain))) {
    check_chain(cell, word, fresh);
    return;
  }
  if (first.generation() == fresh.generation()) meet(first, word, fresh);
  if (two) meet(second, word, fresh);
  if (first.generation() == fresh.generation()) {
    if (UNLIKELY(second.generation() == fresh.generation())) {
      Chain* chain = shadow_.new_chain();
      chain->entry[0] = first;
      chain->entry[1] = second;
      second = Entry(reinterpret_cast<uint64_t>(chain), kMainThread, 2, fresh.generation(), 0xff, Entry::kChain);
    } else {
      second = first;
    }
  }
  first = fresh;
}

void RaceDetector::check_chain(Cell& cell, uintptr_t word, Entry fresh) {
  Entry &first = cell.entry[0], &second = cell.entry[1];
  auto* const chain = reinterpret_cast<Chain*>(second.where_who);
  if (first.of(fresh.generation())) meet(first, word, fresh);
  if (LIKELY(second.when() == 2)) {
    Entry &third = chain->entry[0], &fourth = chain->entry[1];
    meet(third, word, fresh);
    meet(fourth, word, fresh);
    const bool of_first = first.of(fresh.generation()), of_third = third.of(fresh.generation()),
               of_fourth = fourth.of(fresh.generation());
    if (of_first + of_third + of_fourth <= 1) {  // only one thread uses the word now: the chain is no longer needed
      second = of_first ? first : of_third ? third : of_fourth ? fourth : Entry();
      first = fresh;
      shadow_.give_back(chain);
      return;
    }
    // All entries have been compared; the code below only moves them. Dropped entries stay dropped.
    uint32_t kept = 0;
    const Entry all[] = {third, fourth, first};
    for (const Entry& e : all)
      if (e.of(fresh.generation())) chain->entry[kept++] = e;
    second = Entry(reinterpret_cast<uint64_t>(chain), kMainThread, kept, fresh.generation(), 0xff, Entry::kChain);
    first = fresh;
    return;
  }
  ChainCursor from(chain), to(chain);
  uint32_t kept = 0;
  auto keep = [&](const Entry& e) {
    to.entry() = e;
    to.advance();
    ++kept;
  };
  for (uint32_t left = second.when(); left; --left, from.advance()) {
    Entry e = from.entry();
    meet(e, word, fresh);
    if (e.of(fresh.generation())) keep(e);
  }
  if (first.of(fresh.generation())) {
    to.extend([&] { return shadow_.new_chain(); });
    keep(first);
  }
  first = fresh;
  if (kept > 1) {
    second = Entry(reinterpret_cast<uint64_t>(chain), kMainThread, kept, fresh.generation(), 0xff, Entry::kChain);
    return;
  }
  // Most words lose their chain once only one thread uses them.
  second = kept ? chain->entry[0] : Entry();
  shadow_.give_back(chain);
}

void RaceDetector::range(ThreadId t, uintptr_t address, size_t size, uint8_t flags, uint64_t where) {
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

void RaceDetector::freed(ThreadId t, uintptr_t address, size_t size, uint64_t where) {
  constexpr size_t kMostMarked = 1u << 20;
  if (size > kMostMarked) size = kMostMarked;
  any_freed_ = true;
  // With one thread there is nothing to check, only to remember. Blocks begin at their own word.
  const bool alone = !active_;
  if (alone) only_one_thread();
  range_begin_ = size > 8 ? address : 0;
  const Entry fresh(where, t, clocks_.now(t), shadow_.generation(), 0xff,
                    kWrite | RaceAccess::kFree | (size > 8 ? static_cast<uint8_t>(RaceAccess::kRange) : uint8_t{0}));
  Cell* at = nullptr;
  for (size_t done = 0; done < size; done += 8, ++at) {
    if (!at || (address + done) % Shadow::kChunkBytes == 0) at = &shadow_.cell(address + done);
    Cell& cell = *at;
    if (alone || (ordered_before(cell.entry[0], fresh) && ordered_before(cell.entry[1], fresh))) {
      cell.entry[0] = fresh;
      cell.entry[1].forget();
    } else {
      check(cell, address + done, fresh);
    }
  }
  range_begin_ = 0;
}

void RaceDetector::reused(uintptr_t address, size_t size) {
  const uintptr_t end = address + size;
  for (uintptr_t at = address & ~uintptr_t{7}; at < end;) {
    const uintptr_t next_chunk = (at | (Shadow::kChunkBytes - 1)) + 1;
    if (!shadow_.touched(at)) {
      at = next_chunk;
      continue;
    }
    for (; at < end && at < next_chunk; at += 8)
      for (Entry& e : shadow_.cell(at).entry) e.forget();
  }
}

bool RaceDetector::has_free(uintptr_t address) {
  bool freed = false;
  for_each_entry(shadow_.cell(address), shadow_.generation(),
                 [&](Entry& e) { freed = freed || (e.flags() & RaceAccess::kFree); });
  return freed;
}

void RaceDetector::used_freed(ThreadId t, uintptr_t address, uint64_t where) {
  const Entry fresh{where, t, clocks_.now(t), shadow_.generation(), 0xff, kAtomic | kWrite | RaceAccess::kSync};
  for_each_entry(shadow_.cell(address), shadow_.generation(), [&](Entry& old) {
    if (old.flags() & RaceAccess::kFree) report(old, fresh, address & ~uintptr_t{7}, true);
  });
}

void RaceDetector::freed_again(ThreadId t, uintptr_t address, uint64_t where) {
  constexpr uint8_t kFlags = kWrite | RaceAccess::kFree;
  const Entry fresh{where, t, clocks_.now(t), shadow_.generation(), 0xff, kFlags};
  if (!shadow_.touched(address)) return;
  for_each_entry(shadow_.cell(address), shadow_.generation(), [&](Entry& old) {
    if (old.flags() & RaceAccess::kFree) report(old, fresh, address & ~uintptr_t{7}, true);
  });
}

void RaceDetector::used_dead_stack(ThreadId t, uintptr_t address, unsigned size, uint8_t flags, uint64_t where,
                                   ThreadId owner) {
  const auto mask = static_cast<uint8_t>(((1u << (size < 8 ? size : 8)) - 1) << (address & 7));
  const Entry fresh{where, t, clocks_.now(t), shadow_.generation(), mask, flags};
  const Entry ended{
      0, owner, clocks_.now(owner), shadow_.generation(), mask, static_cast<uint8_t>(kWrite | RaceAccess::kFree)};
  if (mask) report(ended, fresh, address & ~uintptr_t{7}, true);
}

void RaceDetector::left(ThreadId t, uintptr_t low, uintptr_t high) {
  if (constexpr uintptr_t kMost = 1u << 20; high - low > kMost) low = high - kMost;
  const Entry fresh{0, t, clocks_.now(t), shadow_.generation(), 0xff, static_cast<uint8_t>(kWrite | RaceAccess::kFree)};
  for (uintptr_t word = low & ~uintptr_t{7}; word < high; word += 8)
    if (shadow_.touched(word))
      for_each_entry(shadow_.cell(word), shadow_.generation(), [&](Entry& old) {
        if (old.thread() != t && !comes_before(old, fresh)) report(old, fresh, word, false);
      });
}

const Module race_detector_module = {
    .name = "race detector",
    .start = [] { race_detector.init(&call_tree); },
    .before_execution =
        [] {
          race_detector.begin(settings.detects_races, runtime.points == Points::All);
          const auto reused = [](uintptr_t address, size_t size) { race_detector.reused(address, size); };
          heap.on_reuse = race_detector.on() ? +reused : nullptr;
        },
};

}  // namespace lockstep::rt
