// Prepares the results of the race detector for the report.
#include "runtime/detect/locked_words.hpp"
#include "runtime/detect/races.hpp"

namespace lockstep::rt {

void RaceDetector::add_misuse(const RaceAccess& access) {
  last_misuse_ = access;
  for (unsigned i = 0; i < count; ++i)
    if (found[i].second.misuse == access.misuse && calls_->pc(found[i].second.pc) == calls_->pc(access.pc)) return;
  more |= count == kMost;
  if (count < kMost) found[count++] = {access, access};
}

bool RaceDetector::last_by_another(uintptr_t address, ThreadId t, RaceAccess& out) {
  if (!shadow_.touched(address)) return false;
  bool found_one = false;
  const unsigned bit = 1u << (address & 7);
  for_each_entry(shadow_.cell(address), shadow_.generation(), [&](Entry& e) {
    if (found_one || e.thread() == t || !(e.mask() & bit)) return;
    found_one = true;
    out.pc = e.where();
    out.thread = e.thread();
    out.step = Clocks::records_at(e.when());
    out.flags = e.flags();
  });
  return found_one;
}

// The beginning of the access of which `entry` is the part in `word`. Adjacent equal entries of one epoch are treated
// as one access: this may join too much, which is safe.
uintptr_t RaceDetector::beginning_of(const Entry& entry, uintptr_t word) {
  constexpr uintptr_t kFarthest = 1u << 20;
  const uintptr_t first = word + static_cast<unsigned>(__builtin_ctz(entry.mask()));
  if (!(entry.flags() & RaceAccess::kRange) || !(entry.mask() & 1)) return first;
  uintptr_t begin = word;
  for (bool goes_on = true; goes_on && word - begin < kFarthest && shadow_.touched(begin - 8);) {
    goes_on = false;
    for_each_entry(shadow_.cell(begin - 8), entry.generation(), [&](Entry& e) {
      if (e.where_who == entry.where_who && e.when() == entry.when() && e.flags() == entry.flags() &&
          (e.mask() & 0x80)) {
        begin = begin - 8 + static_cast<unsigned>(__builtin_ctz(e.mask()));
        goes_on = !(begin & 7);
      }
    });
  }
  return begin;
}

void RaceDetector::report(const Entry& old, const Entry& fresh, uintptr_t word, bool ordered) {
  const bool frees = (old.flags() | fresh.flags()) & RaceAccess::kFree;
  ordered |= !frees && locked_words.find(word, old.mask() & fresh.mask());
  const uint64_t a = calls_->pc(old.where()), b = calls_->pc(fresh.where());
  const uintptr_t old_begin = beginning_of(old, word);
  const uintptr_t fresh_begin = range_begin_ ? range_begin_ : word + static_cast<unsigned>(__builtin_ctz(fresh.mask()));
  const bool named_by_word =
      ((old.flags() | fresh.flags()) & (RaceAccess::kAtomic | RaceAccess::kRange)) != 0;  // an Alias may be needed
  for (unsigned i = 0; i < count; ++i) {
    if (found[i].misuse()) continue;
    const uint64_t x = calls_->pc(found[i].first.pc), y = calls_->pc(found[i].second.pc);
    if (named_by_word &&
        (word_of(found[i].first.begin) != word_of(old_begin) || word_of(found[i].second.begin) != word_of(fresh_begin)))
      continue;
    if (found[i].ordered() == ordered && ((x == a && y == b) || (x == b && y == a))) return;
  }
  const bool ends = (old.flags() | fresh.flags()) & RaceAccess::kFree;
  lifetimes |= ends && (a == 0 || b == 0 || ((old.flags() | fresh.flags()) & RaceAccess::kSync));
  if (count == kMost) {
    more = true;
    return;
  }
  const uintptr_t address = word + static_cast<unsigned>(__builtin_ctz(old.mask() & fresh.mask()));
  auto describe = [address, ordered](const Entry& e, uintptr_t begin) {
    RaceAccess access{};
    access.pc = e.where();
    access.address = address;
    access.begin = begin;
    access.step = Clocks::records_at(e.when());
    access.size = static_cast<uint32_t>(__builtin_popcount(e.mask()));
    access.thread = e.thread();
    access.flags = static_cast<uint8_t>(e.flags() | (ordered ? RaceAccess::kOrdered : 0));
    return access;
  };
  found[count++] = {describe(old, old_begin), describe(fresh, fresh_begin)};
}

}  // namespace lockstep::rt
