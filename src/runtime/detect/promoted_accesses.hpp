// Promoted accesses: places in the program whose plain accesses are scheduling points, because earlier executions found
// them racy (CHESS section 3.5). The driver sets them; they do not change during a search.
#pragma once
#include "model/channel.hpp"
#include "model/operation.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class Promoted {
 public:
  void update(const Channel& channel) {
    const uint32_t version = channel.promoted_version.load(std::memory_order_acquire);
    if (version == version_) return;
    version_ = version;
    places_.clear();
    names_.clear();
    for (uint32_t i = 0; i < channel.promoted_count && i < kMaxPromoted; ++i) places_.add(channel.promoted[i], 1);
    for (uint32_t i = 0; i < channel.alias_count && i < kMaxAliases; ++i)
      names_.add(channel.alias[i].word, channel.alias[i].name);
  }
  bool any() const { return places_.count != 0; }
  bool contains(uint64_t pc) const { return places_.find(pc) != 0; }

  // The object of a plain access that begins here.
  uint64_t object_of(uint64_t address) const {
    const uint64_t name = names_.find(word_of(address));
    return name ? name : word_of(address);
  }
  bool aliased() const { return names_.count != 0; }
  // An atomic or futex in a word that is also accessed otherwise uses the common object of that word.
  Operation canonical(Operation op) const {
    const bool affected = is_atomic(op.kind) || traits(op.kind).primitive == Primitive::Futex;
    if (affected) op.object = canonical(op.object);
    if (op.kind == OpKind::FutexWake && !op.second.none())
      op.second = Companion::other_queue(canonical(op.second.other_queue()));
    return op;
  }

 private:
  ObjectId canonical(ObjectId object) const {
    const uint64_t name = names_.find(word_of(static_cast<uint64_t>(object)));
    return name ? ObjectId{name} : object;
  }

  template <unsigned kSlots>
  struct Table {
    void clear() {
      if (count) zero_bytes(slot, sizeof slot);
      count = 0;
    }
    void add(uint64_t key, uint64_t value) {
      uint32_t i = first(key);
      while (slot[i].key && slot[i].key != key) i = (i + 1) % kSlots;
      if (!slot[i].key) ++count;
      slot[i] = {key, value};
    }
    uint64_t find(uint64_t key) const {
      if (!count) return 0;
      for (uint32_t i = first(key); slot[i].key; i = (i + 1) % kSlots)
        if (slot[i].key == key) return slot[i].value;
      return 0;
    }
    static uint32_t first(uint64_t key) { return static_cast<uint32_t>(key * 0x9e3779b97f4a7c15ull >> 48) % kSlots; }
    struct {
      uint64_t key, value;
    } slot[kSlots];
    uint32_t count;
  };
  Table<2 * kMaxPromoted> places_;
  Table<2 * kMaxAliases> names_;
  uint32_t version_;
};
inline constinit Promoted promoted{};

}  // namespace lockstep::rt
