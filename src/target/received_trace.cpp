// Rebuilds whole traces from suffixes.
#include "target/received_trace.hpp"

#include <atomic>
#include <cstring>

namespace lockstep {
namespace {

// A number for each trace kept, over all workers, in reading order. Several explorations may run at the same time.
uint32_t next_number() {
  static std::atomic<uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

TraceView ReceivedTrace::read(const char* message, size_t* size) {
  const TraceHeader& header = TraceView(message).header();
  TraceSuffix same{};
  const bool suffix = header.wire & TraceHeader::kSuffix;
  if (suffix) std::memcpy(&same, message + sizeof header, sizeof same);
  *size = wire_size(header, same);
  if (!suffix && !(header.wire & TraceHeader::kKept)) return TraceView(message);
  const char* in = message + sizeof header + (suffix ? sizeof same : 0);
  bytes_.resize((header.bytes + 7) / 8);
  char* const begin = reinterpret_cast<char*>(bytes_.data());
  char* out = begin + sizeof header + sizeof(Step) * same.records;
  const auto take = [&in](void* to, size_t bytes) {
    if (bytes) std::memcpy(to, in, bytes);
    in += bytes;
  };
  const size_t records = sizeof(Step) * (size_t{header.steps} - same.records + header.pending);
  take(out, records);
  out += records;
  sets_.resize(header.set_words);
  take(sets_.data() + same.set_words, 8 * size_t{header.set_words - same.set_words});
  if (header.set_words) std::memcpy(out, sets_.data(), 8 * sets_.size());
  out += 8 * sets_.size();
  take(out, static_cast<size_t>(begin + header.bytes - out));
  std::memcpy(begin, &header, sizeof header);
  reinterpret_cast<TraceHeader*>(begin)->wire = 0;
  const uint32_t number = next_number();
  const uint32_t known = kept_ + 1 == number ? same.records : 0;
  kept_ = number;
  return TraceView(begin, number, known);
}

}  // namespace lockstep
