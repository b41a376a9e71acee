#include "search/base/unit_list.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace lockstep {

void UnitList::insert(Level& level, Place place, UnitPart part) {
  level.size += part.size;
  size_ += part.size;
  bytes_ += part.bytes.size();
  const uint64_t number = next_number_++;
  const Place entry =
      level.entries.insert(place, {.number = number, .size = part.size, .bytes = std::move(part.bytes)});
  found_.emplace(number, Found{part.rank, entry});
}

void UnitList::erase(Level& level, uint64_t rank, Place entry) {
  level.size -= entry->size;
  size_ -= entry->size;
  bytes_ -= entry->bytes.size();
  found_.erase(entry->number);
  level.entries.erase(entry);
  if (level.entries.empty()) levels_.erase(rank);
}

void UnitList::add(UnitPart part) {
  Level& level = levels_[part.rank];
  Entry* const last_entry = level.entries.empty() ? nullptr : &level.entries.back();
  if (last_entry && last_entry->state == State::Waiting && last_entry->size + part.size <= kSmall) {
    Entry& last = *last_entry;
    bring_back(last);
    last.size += part.size;
    level.size += part.size;
    size_ += part.size;
    bytes_ += part.bytes.size();
    last.bytes.insert(0, part.bytes);
  } else {
    insert(level, level.entries.end(), std::move(part));
  }
}

std::optional<UnitPart> UnitList::take_first() {
  if (levels_.empty()) return std::nullopt;
  auto& [rank, level] = *levels_.begin();
  const Place first = level.entries.begin();
  if (first->state != State::Waiting) return std::nullopt;
  bring_back(*first);
  UnitPart part{rank, first->size, first->bytes};
  erase(level, rank, first);
  return part;
}

void UnitList::put_first(uint64_t rank, std::vector<UnitPart> rest) {
  const bool any = std::ranges::any_of(rest, [rank](const UnitPart& part) { return part.rank == rank; });
  if (any) {
    Level& level = levels_[rank];
    const Place place = level.entries.begin();
    for (UnitPart& part : rest)
      if (part.rank == rank) insert(level, place, std::move(part));
  }
  for (UnitPart& part : rest)
    if (part.rank != rank) add(std::move(part));
}

bool UnitList::has_waiting(size_t count) const {
  if (levels_.empty()) return count == 0;
  for (const Entry& entry : levels_.begin()->second.entries) {
    if (count == 0) break;
    count -= entry.state == State::Waiting && !entry.alone && !entry.given_up;
  }
  return count == 0;
}

std::optional<Unit> UnitList::hand_out(bool last) {
  if (levels_.empty()) return std::nullopt;
  auto& [rank, level] = *levels_.begin();
  std::list<Entry>& entries = level.entries;
  const auto is_free = [&](const Entry& e) {
    return e.state == State::Waiting && !e.given_up && (!e.alone || &e == &entries.front());
  };
  auto found = std::find_if(entries.begin(), entries.end(), is_free);
  if (found == entries.end()) return std::nullopt;
  if (last) found = std::prev(std::find_if(entries.rbegin(), entries.rend(), is_free).base());
  bring_back(*found);
  found->state = State::Out;
  return Unit{found->number, rank, found->size, found->bytes};
}

void UnitList::put_back(uint64_t number, bool alone) {
  const Place entry = find(number).entry;
  entry->state = State::Waiting;
  entry->alone = alone;
}

void UnitList::give_up(uint64_t number) {
  put_back(number);
  find(number).entry->given_up = true;
}

bool UnitList::first_is_given_up() const {
  return !levels_.empty() && levels_.begin()->second.entries.front().given_up;
}

void UnitList::put_back_out() {
  for (auto& [rank, level] : levels_)
    for (Entry& entry : level.entries)
      if (entry.state == State::Out) entry.state = State::Waiting;
}

// What was left of a returned unit would be explored twice: only for units that leave nothing.
void UnitList::put_back_all() {
  for (auto& [rank, level] : levels_)
    for (Entry& entry : level.entries) {
      assert(entry.state != State::Returned || entry.later.empty());
      entry.state = State::Waiting;
    }
}

void UnitList::returned(uint64_t number, std::vector<UnitPart> rest) {
  const auto [rank, entry] = find(number);
  Level& level = levels_.at(rank);
  entry->state = State::Returned;
  level.size -= entry->size;
  size_ -= entry->size;
  entry->size = 0;
  const auto behind = std::next(entry);
  for (UnitPart& part : rest) {
    if (part.rank > rank) {
      size_ += part.size;
      bytes_ += part.bytes.size();
      entry->later.push_back(std::move(part));
    } else {
      insert(level, behind, std::move(part));
    }
  }
}

std::optional<uint64_t> UnitList::next_returned(bool any) const {
  if (levels_.empty()) return std::nullopt;
  for (const auto& [rank, level] : levels_) {
    for (const Entry& entry : level.entries) {
      if (entry.state == State::Returned) return entry.number;
      if (!any) return std::nullopt;
    }
  }
  return std::nullopt;
}

void UnitList::remove(uint64_t number) {
  const auto [rank, entry] = find(number);
  assert(entry->state == State::Returned);
  std::vector<UnitPart> later = std::move(entry->later);
  erase(levels_.at(rank), rank, entry);
  for (UnitPart& part : later) {
    size_ -= part.size;
    bytes_ -= part.bytes.size();
    add(std::move(part));
  }
}

bool UnitList::is_first(uint64_t number) const {
  return !levels_.empty() && levels_.begin()->second.entries.front().number == number;
}

bool UnitList::first_waits() const {
  return !levels_.empty() && levels_.begin()->second.entries.front().state == State::Waiting;
}

const std::string& UnitList::bytes_of(uint64_t number) const { return find(number).entry->bytes; }

uint64_t UnitList::size_of(uint64_t rank) const {
  const auto level = levels_.find(rank);
  return level == levels_.end() ? 0 : level->second.size;
}

bool UnitList::spill() {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) return false;
  for (auto& [rank, level] : levels_)
    for (Entry& entry : level.entries) {
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
    out.put<uint64_t>(level.entries.size());
    for (const Entry& entry : level.entries) {
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
      const uint64_t number = entry.number;
      Level& level = levels_[rank];
      level.size += entry.size;
      level.entries.push_back(std::move(entry));
      if (!found_.emplace(number, Found{rank, std::prev(level.entries.end())}).second || number >= next_number_)
        in.reject();
    }
  }
  if (!in.good()) *this = {};
}

}  // namespace lockstep
