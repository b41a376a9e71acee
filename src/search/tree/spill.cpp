// Packs executions into segments of a file.
#include "search/tree/spill.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace lockstep {
namespace {

void put_number(std::string& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<char>(value | 128));
  out.push_back(static_cast<char>(value));
}

bool get_number(std::string_view& in, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(in[0]);
    in.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return true;
  }
  return false;
}

size_t common_prefix(const std::vector<Delta>& a, const std::vector<Delta>& b) {
  const size_t most = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < most && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

std::string Spill::pack(std::span<const Item> items) {
  std::string out;
  const std::vector<Delta> none;
  const std::vector<Delta>* before = &none;
  for (const Item& item : items) {
    const size_t shared = common_prefix(*before, item.deltas);
    put_number(out, item.cost);
    put_number(out, shared);
    put_number(out, item.deltas.size() - shared);
    for (size_t i = shared; i < item.deltas.size(); ++i) {
      put_number(out, item.deltas[i].step);
      put_number(out, item.deltas[i].value);
    }
    before = &item.deltas;
  }
  return out;
}

bool Spill::unpack(std::string_view in, uint64_t count, std::vector<Item>& items) {
  items.clear();
  std::vector<Delta> deltas;
  for (uint64_t n = 0; n < count; ++n) {
    uint64_t cost, shared, fresh, step, value;
    if (!get_number(in, cost) || !get_number(in, shared) || !get_number(in, fresh) || shared > deltas.size())
      return false;
    deltas.resize(shared);
    for (; fresh > 0; --fresh) {
      if (!get_number(in, step) || !get_number(in, value)) return false;
      deltas.push_back({static_cast<uint32_t>(step), static_cast<uint16_t>(value)});
    }
    items.push_back({static_cast<uint16_t>(cost), deltas});
  }
  return in.empty();
}

bool Spill::write(uint64_t rank, const std::string& bytes, uint64_t items) {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_ || fseeko(file_.get(), static_cast<off_t>(end_), SEEK_SET) != 0) return false;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() || std::fflush(file_.get()) != 0)
    return false;
  segments_[rank].push_back({end_, bytes.size(), items});
  end_ += bytes.size();
  size_ += items;
  return true;
}

bool Spill::read(const Segment& segment, std::string& bytes) const {
  bytes.resize(segment.bytes);
  return fseeko(file_.get(), static_cast<off_t>(segment.offset), SEEK_SET) == 0 &&
         std::fread(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
}

bool Spill::put(uint64_t rank, std::span<const Item> items) {
  return items.empty() || write(rank, pack(items), items.size());
}

bool Spill::take(uint64_t rank, std::vector<Item>& items) {
  const auto place = segments_.find(rank);
  const Segment segment = place->second.back();
  std::string bytes;
  if (!read(segment, bytes) || !unpack(bytes, segment.items, items)) return false;
  place->second.pop_back();
  if (place->second.empty()) segments_.erase(place);
  size_ -= segment.items;
  if (segment.offset + segment.bytes == end_) end_ = segment.offset;  // the space is used again
  if (segments_.empty()) end_ = 0;
  return true;
}

void Spill::save(StateWriter& out) const {
  out.put<uint64_t>(segments_.size());
  for (const auto& [rank, segments] : segments_) {
    out.put(rank);
    out.put<uint64_t>(segments.size());
    for (const Segment& segment : segments) {
      std::string bytes;
      const bool good = read(segment, bytes);
      out.put(segment.items);
      out.put_text(good ? bytes : std::string());
    }
  }
}

void Spill::load(StateReader& in) {
  for (auto ranks = in.get<uint64_t>(); ranks > 0 && in.good(); --ranks) {
    const auto rank = in.get<uint64_t>();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto items = in.get<uint64_t>();
      const std::string bytes = in.get_text();
      std::vector<Item> check;
      if (!in.good() || !unpack(bytes, items, check) || !write(rank, bytes, items)) in.reject();
    }
  }
}

}  // namespace lockstep
