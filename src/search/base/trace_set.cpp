// Grows the set, writes runs to disk and merges them.
#include "search/base/trace_set.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

constexpr size_t kMostRuns = 64;  // more runs are merged into one
constexpr size_t kBuffer = 2048;  // numbers of each run in memory during a merge

// Reads a run sequentially, one buffer at a time.
class RunReader {
 public:
  RunReader(std::FILE* file, uint64_t offset, uint64_t count) : file_(file), offset_(offset), left_(count) {}
  bool fill() {  // false: read error
    if (at_ < buffer_.size() || left_ == 0) return true;
    buffer_.resize(std::min<uint64_t>(left_, kBuffer));
    at_ = 0;
    if (fseeko(file_, static_cast<off_t>(offset_), SEEK_SET) != 0 ||
        std::fread(buffer_.data(), sizeof(uint64_t), buffer_.size(), file_) != buffer_.size())
      return false;
    offset_ += sizeof(uint64_t) * buffer_.size();
    left_ -= buffer_.size();
    return true;
  }
  bool done() const { return at_ == buffer_.size() && left_ == 0; }
  uint64_t top() const { return buffer_[at_]; }
  void pop() { ++at_; }

 private:
  std::FILE* file_;
  uint64_t offset_, left_;
  std::vector<uint64_t> buffer_;
  size_t at_ = 0;
};

bool append(std::FILE* file, const std::vector<uint64_t>& numbers) {
  return std::fwrite(numbers.data(), sizeof(uint64_t), numbers.size(), file) == numbers.size();
}

}  // namespace

void TraceSet::limit(uint64_t bytes) {
  limit_ = kLeastLimit;
  while (limit_ <= bytes / 2) limit_ *= 2;
}

// Growing needs the old and the new slots at the same time.
void TraceSet::make_room() {
  if (3 * memory_bytes() <= limit_ || slots_.empty() || full_)
    grow();
  else
    write_run();
}

void TraceSet::grow() {
  LargeVector<uint64_t> old(slots_.empty() ? 256 : 2 * slots_.size(), 0);
  old.swap(slots_);
  for (const uint64_t key : old)
    if (key != 0) put(key);
}

std::vector<uint64_t> TraceSet::sorted() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(held_);
  for (const uint64_t key : slots_)
    if (key != 0) numbers.push_back(key);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool TraceSet::merge(const std::vector<uint64_t>& in_memory, const std::function<void(uint64_t)>& visit) const {
  std::vector<RunReader> readers;
  for (const Run& run : runs_) readers.emplace_back(file_.get(), run.offset, run.count);
  using Top = std::pair<uint64_t, size_t>;
  std::vector<Top> tops;  // a heap, smallest first
  const auto later = [](const Top& a, const Top& b) { return a > b; };
  const auto offer = [&](size_t i) {
    if (!readers[i].fill()) return false;
    if (readers[i].done()) return true;
    tops.emplace_back(readers[i].top(), i);
    std::push_heap(tops.begin(), tops.end(), later);
    return true;
  };
  for (size_t i = 0; i < readers.size(); ++i)
    if (!offer(i)) return false;
  uint64_t last = 0;
  const auto visit_once = [&](uint64_t number) {
    if (number != last) visit(number);
    last = number;
  };
  size_t at = 0;
  while (!tops.empty()) {
    std::pop_heap(tops.begin(), tops.end(), later);
    const auto [number, from] = tops.back();
    tops.pop_back();
    for (; at < in_memory.size() && in_memory[at] <= number; ++at) visit_once(in_memory[at]);
    visit_once(number);
    readers[from].pop();
    if (!offer(from)) return false;
  }
  for (; at < in_memory.size(); ++at) visit_once(in_memory[at]);
  return true;
}

void TraceSet::write_run() {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) return give_up_disk();
  const uint64_t end = runs_.empty() ? 0 : runs_.back().offset + sizeof(uint64_t) * runs_.back().count;
  if (runs_.size() < kMostRuns) {
    if (fseeko(file_.get(), static_cast<off_t>(end), SEEK_SET) != 0 || !append(file_.get(), sorted()) ||
        std::fflush(file_.get()) != 0)
      return give_up_disk();
    runs_.push_back({end, held_});
  } else {
    std::unique_ptr<std::FILE, Close> all(std::tmpfile());
    uint64_t count = 0;
    bool good = all != nullptr;
    good = good && merge(sorted(), [&](uint64_t number) {
             ++count;
             good = good && std::fwrite(&number, sizeof number, 1, all.get()) == 1;
           });
    if (!good || std::fflush(all.get()) != 0) return give_up_disk();
    file_ = std::move(all);
    runs_.assign(1, {0, count});
  }
  std::fill(slots_.begin(), slots_.end(), 0);
  held_ = 0;
}

// Called when the disk is full: from then on the set grows in memory, and the memory budget ends the search. The runs
// on disk stay.
void TraceSet::give_up_disk() {
  full_ = true;
  grow();
}

std::optional<uint64_t> TraceSet::size() const {
  if (lost_) return std::nullopt;
  if (runs_.empty()) return held_;
  uint64_t count = 0;
  lost_ = !merge(sorted(), [&count](uint64_t) { ++count; });
  return lost_ ? std::nullopt : std::optional(count);
}

void TraceSet::save(StateWriter& out) const {
  const uint64_t count = size().value_or(0);
  uint64_t written = 0;
  out.put(inserted_);
  out.put(count);
  if (count > 0)
    lost_ = !merge(sorted(), [&](uint64_t number) {
      out.put(number);
      ++written;
    });
  for (; written < count; ++written) out.put<uint64_t>(0);
  out.put(lost_);
}

void TraceSet::load(StateReader& in) {
  const auto inserted = in.get<uint64_t>();
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) insert(in.get<uint64_t>());
  inserted_ = inserted;
  lost_ = in.get<bool>();
}

}  // namespace lockstep
