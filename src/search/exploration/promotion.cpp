// Collects racy places and words, and merges words that belong together.
#include "search/exploration/promotion.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {

bool Promotion::grow(TraceView trace, const std::function<bool(const DataRace&)>& left_out) {
  if (!wanted_) return false;
  full_ = full_ || (trace.header().monitors & Monitors::kMoreRaces);
  bool grown = false;
  for (const DataRace& race : trace.races()) {
    if (race.unlocked() || race.misuse() || (left_out && left_out(race)) || race.first.thread == race.second.thread)
      continue;
    for (const RaceAccess* access : {&race.first, &race.second})
      // Atomic accesses are scheduling points already.
      if (!access->atomic() && access->pc != 0) grown |= add_place(access->pc);
    // Locks have their own objects. The end of a stack frame is no object: nothing is reduced then (Reason::Lifetime).
    if (((race.first.flags | race.second.flags) & RaceAccess::kSync) || race.first.pc == 0 || race.second.pc == 0)
      continue;
    // A plain access counts for the word in which it begins, an atomic access for its address.
    for (const RaceAccess* access : {&race.first, &race.second})
      if (access->atomic() && word_of(access->begin) != access->begin) grown |= unite(access->begin, access->begin);
    if (word_of(race.first.begin) != word_of(race.second.begin)) grown |= unite(race.first.begin, race.second.begin);
  }
  return grown;
}

std::vector<TrackedRange> Promotion::missing_points(TraceView trace,
                                                    const std::function<bool(const DataRace&)>& left_out) const {
  std::vector<TrackedRange> memory;
  bool missing = false;
  for (const DataRace& race : trace.races()) {
    if (!race.race() || left_out(race)) continue;
    for (const RaceAccess* access : {&race.first, &race.second}) {
      const auto& places = in_use_.places;
      missing |= !access->atomic() && !std::binary_search(places.begin(), places.end(), access->pc);
      const TrackedRange range{access->begin, std::max(access->size, 1u)};
      if (std::find(memory.begin(), memory.end(), range) == memory.end() && memory.size() < kMaxTracked)
        memory.push_back(range);
    }
  }
  return missing ? memory : std::vector<TrackedRange>{};
}

bool Promotion::add_place(uint64_t pc) {
  if (places_.contains(pc)) return false;
  if (places_.size() == kMaxPromoted) {
    full_ = true;
    return false;
  }
  return places_.insert(pc).second;
}

uint64_t Promotion::name_of(uint64_t word) const {
  for (;;) {
    const auto at = names_.find(word);
    if (at == names_.end() || at->second == word) return word;
    word = at->second;
  }
}

bool Promotion::unite(uint64_t a, uint64_t b) {
  if (names_.size() + 2 > kMaxAliases) {
    full_ = true;
    return false;
  }
  bool grown = false;
  for (const uint64_t address : {a, b}) grown |= names_.try_emplace(word_of(address), word_of(address)).second;
  const auto [least, other] = std::minmax({name_of(word_of(a)), name_of(word_of(b))});
  if (least == other) return grown;
  names_[other] = least;
  return true;
}

PromotedPoints Promotion::found() const {
  PromotedPoints all;
  all.places.assign(places_.begin(), places_.end());
  for (const auto& [word, next] : names_) all.aliases.push_back({word, name_of(word)});
  return all;
}

const PromotedPoints& Promotion::start_over() { return in_use_ = found(); }

void Promotion::go_on_with(PromotedPoints in_use, const PromotedPoints& found) {
  for (const PromotedPoints* points : {&std::as_const(in_use), &found}) {
    places_.insert(points->places.begin(), points->places.end());
    for (const Alias& alias : points->aliases) unite(alias.word, alias.name);
  }
  in_use_ = std::move(in_use);
}

}  // namespace lockstep
