// A hash table from objects to their indices in a vector of structs with a member `id` (open addressing).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

template <class Object>
class ObjectIndex {
 public:
  static constexpr uint32_t kNone = 0xffff'ffff;

  // The index of the object. If there is none, `add` appends the object to `objects`.
  template <class Add>
  uint32_t find_or_add(ObjectId id, const std::vector<Object>& objects, Add&& add) {
    size_t slot = first_slot(id);
    for (; numbers_[slot] != kNone; slot = next(slot))
      if (objects[numbers_[slot]].id == id) return numbers_[slot];
    const auto number = static_cast<uint32_t>(objects.size());
    numbers_[slot] = number;
    add();
    if (2 * objects.size() > numbers_.size()) grow(objects);
    return number;
  }
  uint64_t memory_bytes() const { return numbers_.capacity() * sizeof(uint32_t); }

 private:
  size_t first_slot(ObjectId id) const {
    return static_cast<size_t>(static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15ull >> 32) & (numbers_.size() - 1);
  }
  size_t next(size_t slot) const { return (slot + 1) & (numbers_.size() - 1); }
  void grow(const std::vector<Object>& objects) {
    numbers_.assign(2 * numbers_.size(), kNone);
    for (uint32_t number = 0; number < objects.size(); ++number) {
      size_t slot = first_slot(objects[number].id);
      while (numbers_[slot] != kNone) slot = next(slot);
      numbers_[slot] = number;
    }
  }

  std::vector<uint32_t> numbers_ = std::vector<uint32_t>(256, kNone);  // a power of two
};

}  // namespace lockstep
