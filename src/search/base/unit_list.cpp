#include "search/base/unit_list.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace lockstep {

UnitList::Level::iterator UnitList::insert(Level& level, Level::iterator place, UnitPart part) {
  size_ += part.size;
  bytes_ += part.bytes.size();
  return level.insert(place, {.number = next_number_++, .size = part.size, .bytes = std::move(part.bytes)});
}

void UnitList::add(UnitPart part) {
  Level& level = levels_[part.rank];
  if (!level.empty() && level.back().state == State::Waiting && level.back().size + part.size <= kSmall) {
    Entry& last = level.back();
    bring_back(last);
    last.size += part.size;
    size_ += part.size;
    bytes_ += part.bytes.size();
    last.bytes.insert(0, part.bytes);
  } else {
    insert(level, level.end(), std::move(part));
  }
}

std::optional<UnitPart> UnitList::take_first() {
  if (levels_.empty()) return std::nullopt;
  auto& [rank, level] = *levels_.begin();
  Entry& first = level.front();
  if (first.state != State::Waiting) return std::nullopt;
  bring_back(first);
  UnitPart part{rank, first.size, std::move(first.bytes)};
  size_ -= part.size;
  bytes_ -= part.bytes.size();
  level.pop_front();
  if (level.empty()) levels_.erase(levels_.begin());
  return part;
}

void UnitList::put_first(uint64_t rank, std::vector<UnitPart> rest) {
  const bool any = std::ranges::any_of(rest, [rank](const UnitPart& part) { return part.rank == rank; });
  if (any) {
    Level& level = levels_[rank];
    const auto place = level.begin();
    for (UnitPart& part : rest)
      if (part.rank == rank) insert(level, place, std::move(part));
  }
  for (UnitPart& part : rest)
    if (part.rank != rank) add(std::move(part));
}

bool UnitList::has_waiting(size_t count) const {
  if (levels_.empty()) return count == 0;
  for (const Entry& entry : levels_.begin()->second) {
    if (count == 0) break;
    count -= entry.state == State::Waiting && !entry.alone;
  }
  return count == 0;
}

std::optional<Unit> UnitList::hand_out(bool last) {
  if (levels_.empty()) return std::nullopt;
  auto& [rank, level] = *levels_.begin();
  const auto is_free = [&](const Entry& e) { return e.state == State::Waiting && (!e.alone || &e == &level.front()); };
  auto found = std::find_if(level.begin(), level.end(), is_free);
  if (found == level.end()) return std::nullopt;
  if (last) found = std::prev(std::find_if(level.rbegin(), level.rend(), is_free).base());
  bring_back(*found);
  found->state = State::Out;
  return Unit{found->number, rank, found->size, found->bytes};
}

// Those under way are at the front of the first level, but for a few.
std::pair<UnitList::Level*, UnitList::Level::iterator> UnitList::find(uint64_t number) {
  for (auto& [rank, level] : levels_)
    for (auto entry = level.begin(); entry != level.end(); ++entry)
      if (entry->number == number) return {&level, entry};
  std::abort();
}

uint64_t UnitList::rank_of(const Level& level) const {
  return std::ranges::find_if(levels_, [&](const auto& pair) { return &pair.second == &level; })->first;
}

void UnitList::put_back(uint64_t number, bool alone) {
  const auto entry = find(number).second;
  entry->state = State::Waiting;
  entry->alone = alone;
}

void UnitList::put_back_out() {
  for (auto& [rank, level] : levels_)
    for (Entry& entry : level)
      if (entry.state == State::Out) entry.state = State::Waiting;
}

// What was left of a returned unit would be explored twice: only for units that leave nothing.
void UnitList::put_back_all() {
  for (auto& [rank, level] : levels_)
    for (Entry& entry : level) {
      assert(entry.state != State::Returned || entry.later.empty());
      entry.state = State::Waiting;
    }
}

void UnitList::returned(uint64_t number, std::vector<UnitPart> rest) {
  const auto [level, entry] = find(number);
  const uint64_t rank = rank_of(*level);
  entry->state = State::Returned;
  size_ -= entry->size;
  entry->size = 0;
  const auto behind = std::next(entry);
  for (UnitPart& part : rest) {
    if (part.rank > rank) {
      size_ += part.size;
      bytes_ += part.bytes.size();
      entry->later.push_back(std::move(part));
    } else {
      insert(*level, behind, std::move(part));
    }
  }
}

std::optional<uint64_t> UnitList::next_returned(bool any) const {
  if (levels_.empty()) return std::nullopt;
  for (const auto& [rank, level] : levels_) {
    for (const Entry& entry : level) {
      if (entry.state == State::Returned) return entry.number;
      if (!any) return std::nullopt;
    }
  }
  return std::nullopt;
}

void UnitList::remove(uint64_t number) {
  const auto [level, entry] = find(number);
  assert(entry->state == State::Returned);
  std::vector<UnitPart> later = std::move(entry->later);
  bytes_ -= entry->bytes.size();
  level->erase(entry);
  if (level->empty()) levels_.erase(rank_of(*level));
  for (UnitPart& part : later) {
    size_ -= part.size;
    bytes_ -= part.bytes.size();
    add(std::move(part));
  }
}

void UnitList::replace(uint64_t number, std::string bytes) {
  const auto entry = find(number).second;
  bytes_ += bytes.size();
  bytes_ -= entry->bytes.size();
  entry->bytes = std::move(bytes);
  entry->state = State::Waiting;
}

bool UnitList::is_first(uint64_t number) const {
  return !levels_.empty() && levels_.begin()->second.front().number == number;
}

const std::string& UnitList::bytes_of(uint64_t number) const {
  return const_cast<UnitList*>(this)->find(number).second->bytes;
}

uint64_t UnitList::size_of(uint64_t rank) const {
  const auto level = levels_.find(rank);
  uint64_t sum = 0;
  if (level != levels_.end())
    for (const Entry& entry : level->second) sum += entry.size;
  return sum;
}

bool UnitList::spill() {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) return false;
  for (auto& [rank, level] : levels_)
    for (Entry& entry : level) {
      if (entry.state != State::Waiting || entry.on_disk || entry.bytes.empty()) continue;
      if (fseeko(file_.get(), static_cast<off_t>(file_end_), SEEK_SET) != 0 ||
          std::fwrite(entry.bytes.data(), 1, entry.bytes.size(), file_.get()) != entry.bytes.size() ||
          std::fflush(file_.get()) != 0)
        return false;
      entry.on_disk = file_end_;
      entry.disk_bytes = entry.bytes.size();
      file_end_ += entry.bytes.size();
      bytes_ -= entry.bytes.size();
      std::string().swap(entry.bytes);
    }
  return true;
}

std::string UnitList::read(const Entry& entry) const {
  if (!entry.on_disk) return entry.bytes;
  std::string bytes(entry.disk_bytes, 0);
  if (fseeko(file_.get(), static_cast<off_t>(*entry.on_disk), SEEK_SET) != 0 ||
      std::fread(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    bytes.clear();  // whoever explores it notices
  return bytes;
}

void UnitList::bring_back(Entry& entry) {
  if (!entry.on_disk) return;
  entry.bytes = read(entry);
  entry.on_disk.reset();
  bytes_ += entry.bytes.size();
}

void UnitList::save(StateWriter& out) const {
  out.put(next_number_);
  out.put<uint64_t>(levels_.size());
  for (const auto& [rank, level] : levels_) {
    out.put(rank);
    out.put<uint64_t>(level.size());
    for (const Entry& entry : level) {
      out.put(entry.number);
      out.put(entry.size);
      out.put(entry.state == State::Out ? State::Waiting : entry.state);
      out.put_text(read(entry));
      out.put<uint64_t>(entry.later.size());
      for (const UnitPart& part : entry.later) {
        out.put(part.rank);
        out.put(part.size);
        out.put_text(part.bytes);
      }
    }
  }
}

void UnitList::load(StateReader& in) {
  *this = {};
  next_number_ = in.get<uint64_t>();
  for (auto levels = in.get<uint64_t>(); levels > 0 && in.good(); --levels) {
    const auto rank = in.get<uint64_t>();
    auto entries = in.get<uint64_t>();
    if (entries == 0) in.reject();
    for (; entries > 0 && in.good(); --entries) {
      Entry entry{.number = in.get<uint64_t>(), .size = in.get<uint64_t>()};
      entry.state = in.get<State>();
      if (entry.state != State::Waiting && entry.state != State::Returned) in.reject();
      entry.bytes = in.get_text();
      for (auto later = in.get<uint64_t>(); later > 0 && in.good(); --later) {
        UnitPart part{.rank = in.get<uint64_t>(), .size = in.get<uint64_t>()};
        part.bytes = in.get_text();
        if (part.rank <= rank) in.reject();
        size_ += part.size;
        bytes_ += part.bytes.size();
        entry.later.push_back(std::move(part));
      }
      size_ += entry.size;
      bytes_ += entry.bytes.size();
      levels_[rank].push_back(std::move(entry));
    }
  }
  if (!in.good()) *this = {};
}

}  // namespace lockstep
