// Writes messages into a ring of the channel and reads them, for both sides. Each caller does its own waiting, because
// each side has its own reasons to stop (Channel::stop, a worker that died).
#pragma once
#include "model/channel.hpp"

namespace lockstep {

// The place of the writer's next message. `begin` is behind the filler, if there is one.
struct RingSlot {
  uint64_t filler, begin, end;
};
inline RingSlot next_slot(const Ring& ring, uint32_t bytes) {
  const uint64_t at = ring.written.load(std::memory_order_relaxed), left = ring.capacity - at % ring.capacity;
  const uint64_t begin = left < bytes ? at + left : at;
  return {at, begin, begin + bytes};
}
inline bool fits(const Ring& ring, const RingSlot& slot) {
  return slot.end - ring.read.load(std::memory_order_seq_cst) <= ring.capacity;
}
// The memory for the message, once it fits. The reader does not see it before publish().
inline char* open_slot(const Ring& ring, char* bytes, const RingSlot& slot) {
  if (slot.begin != slot.filler) *reinterpret_cast<uint32_t*>(bytes + slot.filler % ring.capacity) = kWrap;
  return bytes + slot.begin % ring.capacity;
}
inline void publish(Ring& ring, const RingSlot& slot) { ring.written.store(slot.end, std::memory_order_seq_cst); }

// The message at this position of the reader, or nullptr; moves the position past a filler.
inline const char* message_at(const Ring& ring, const char* bytes, uint64_t& position) {
  if (ring.written.load(std::memory_order_acquire) == position) return nullptr;
  const char* at = bytes + position % ring.capacity;
  if (*reinterpret_cast<const uint32_t*>(at) != kWrap) return at;
  position += ring.capacity - position % ring.capacity;
  return bytes;  // a filler is published together with the message behind it
}
inline const char* front(Ring& ring, const char* bytes) {
  const uint64_t read = ring.read.load(std::memory_order_relaxed);
  uint64_t position = read;
  const char* message = message_at(ring, bytes, position);
  if (position != read) ring.read.store(position, std::memory_order_release);
  return message;
}
// A reader whose writer may sleep must check `writer_sleeps` after a fence, before it sleeps itself.
inline void pop(Ring& ring, uint64_t bytes) {
  ring.read.store(ring.read.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
}

}  // namespace lockstep
