// A stack of numbers in bytes: a small number takes one byte, whatever the largest is.
#pragma once
#include <cstdint>
#include <vector>

#include "search/base/saved_state.hpp"

namespace lockstep {

class ByteStack {
 public:
  // Seven bits a byte, the lowest on top; a set high bit says that more bytes lie below.
  void push(uint32_t number) {
    unsigned shift = 0;
    while (shift < 28 && number >> (shift + 7) != 0) shift += 7;
    bytes_.push_back(static_cast<uint8_t>(number >> shift));
    while (shift > 0) {
      shift -= 7;
      bytes_.push_back(static_cast<uint8_t>(0x80 | (number >> shift & 0x7f)));
    }
  }
  // Returns zero if the stack is empty: a file that is loaded may end early.
  uint32_t pop() {
    uint32_t number = 0;
    for (unsigned shift = 0; !bytes_.empty() && shift < 32; shift += 7) {
      const uint8_t byte = bytes_.back();
      bytes_.pop_back();
      number |= uint32_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) break;
    }
    return number;
  }

  void save(StateWriter& out) const { out.put_all(bytes_); }
  void load(StateReader& in) { bytes_ = in.get_all<uint8_t>(); }

  bool empty() const { return bytes_.empty(); }
  size_t size() const { return bytes_.size(); }
  size_t capacity() const { return bytes_.capacity(); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace lockstep
