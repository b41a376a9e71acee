// The memory on which the running execution has executed atomic instructions of the program's own assembler
// (checks/locked_instructions.hpp). Plain accesses to it are atomic, too: a store releases a spin lock, a read polls
// it.
#pragma once
#include "model/race.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class LockedWords {
 public:
  struct Word {
    uint64_t address;  // aligned; 0: an empty slot
    uint64_t value;    // of `bytes`, after the last operation that was seen
    uint64_t operand;  // where the first atomic instruction's operand begins
    uint8_t bytes;     // of the word: operands of atomic instructions
    uint8_t size;      // of the first operand, up to the end of the word
    bool known;        // `value` is; false: a store that was seen follows

    uint64_t current() const {
      const uint64_t all = *reinterpret_cast<const volatile uint64_t*>(address);
      uint64_t mask = 0;
      for (unsigned i = 0; i < 8; ++i) mask |= bytes & 1u << i ? uint64_t{0xff} << 8 * i : 0;
      return all & mask;
    }
  };
  static uint8_t bytes_of(uint64_t address, unsigned size) {
    return static_cast<uint8_t>(((1u << (size < 8 ? size : 8)) - 1) << (address & 7));
  }

  void begin() {
    if (UNLIKELY(count_ != 0)) zero_bytes(word_, sizeof(Word) * kSlots);
    count_ = 0;
  }
  bool any() const { return count_ != 0; }
  // The word that an access of these bytes touches; null: none of its bytes is an operand.
  Word* find(uint64_t address, uint8_t bytes) {
    if (LIKELY(count_ == 0)) return nullptr;
    Word& word = slot_of(word_of(address));
    return word.address && (word.bytes & bytes) ? &word : nullptr;
  }
  // The word of an operand that lies in one word. Null: no room for another one.
  Word* add(uint64_t address, unsigned size) {
    if (!word_) word_ = static_cast<Word*>(map_pages(sizeof(Word) * kSlots));
    Word& word = slot_of(word_of(address));
    const uint8_t bytes = bytes_of(address, size);
    if (!word.address) {
      if (count_ == kSlots / 2) return nullptr;
      ++count_;
      word = {word_of(address), 0, address, 0, static_cast<uint8_t>(size < 8 ? size : 8), false};
    }
    word.known &= (word.bytes & bytes) == bytes;
    word.bytes |= bytes;
    return &word;
  }

 private:
  static constexpr uint32_t kSlots = 1 << 13;

  Word& slot_of(uint64_t address) {
    auto at = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15ull >> 51);
    while (word_[at].address && word_[at].address != address) at = (at + 1) % kSlots;
    return word_[at];
  }

  Word* word_;
  uint32_t count_;
};
inline constinit LockedWords locked_words{};

}  // namespace lockstep::rt
