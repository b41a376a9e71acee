// Decodes prefixes, opcodes and operands.
#include "target/x86_instruction.hpp"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

bool one_byte_has_modrm(uint8_t op) {
  if (op < 0x40) return (op & 7) < 4;
  switch (op) {
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff: return true;
    default: return (op >= 0x80 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf);
  }
}

size_t one_byte_immediate(uint8_t op, uint8_t modrm, bool wide, bool narrow) {
  const size_t full = narrow ? 2 : 4;
  if (op < 0x40) return (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : 0;
  if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7)) return 1;
  if (op >= 0xb8 && op <= 0xbf) return wide ? 8 : full;
  if (op >= 0xa0 && op <= 0xa3) return 8;
  switch (op) {
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x82:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xcd:
    case 0xeb: return 1;
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xa9:
    case 0xc7: return full;
    case 0xe8:
    case 0xe9: return 4;
    case 0xc2:
    case 0xca: return 2;
    case 0xc8: return 3;
    case 0xf6: return (modrm & 0x38) < 0x10 ? 1 : 0;
    case 0xf7: return (modrm & 0x38) < 0x10 ? full : 0;
    default: return 0;
  }
}

bool two_byte_has_modrm(uint8_t op) {
  if ((op >= 0x30 && op <= 0x37) || (op >= 0x80 && op <= 0x8f) || (op >= 0xc8 && op <= 0xcf)) return false;
  switch (op) {
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b:
    case 0x0e:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa: return false;
    default: return true;
  }
}

size_t two_byte_immediate(uint8_t op) {
  if (op >= 0x80 && op <= 0x8f) return 4;
  switch (op) {
    case 0x70:
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6: return 1;
    default: return 0;
  }
}

bool is_short_branch(const Instruction& i) {
  return i.map == OpcodeMap::OneByte &&
         ((i.opcode & 0xf0) == 0x70 || i.opcode == 0xeb || (i.opcode >= 0xe0 && i.opcode <= 0xe3));
}

bool is_relative_branch(const Instruction& i) {
  if (i.map == OpcodeMap::TwoByte) return (i.opcode & 0xf0) == 0x80;
  return i.map == OpcodeMap::OneByte && (is_short_branch(i) || i.opcode == 0xe8 || i.opcode == 0xe9);
}

class Decoder {
 public:
  explicit Decoder(std::span<const uint8_t> code) : code_(code) {}

  Instruction decode() {
    bool vector = false;
    bool &wide = result_.wide, &narrow = result_.narrow;
    for (;; ++at_) {
      const uint8_t b = peek();
      if (b == 0xf0)
        result_.lock = true;
      else if (b == 0x66)
        narrow = true;
      else if (b == 0x64)
        result_.thread_local_ = true;
      else if (b == 0x67 || b == 0x65)
        result_.other_prefix = true;
      else if (b != 0xf2 && b != 0xf3 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26)
        break;
    }
    if ((peek() & 0xf0) == 0x40) {
      const uint8_t rex = next();
      result_.has_rex = true;
      wide = rex & 8;
      reg_high_ = (rex & 4) << 1;
      index_high_ = (rex & 2) << 2;
      base_high_ = (rex & 1) << 3;
    }
    if (peek() == 0xc5 || peek() == 0xc4 || peek() == 0x62)
      vector = vector_prefix();
    else if (peek() == 0x0f)
      escape();
    result_.opcode = next();
    const bool has_modrm = result_.map == OpcodeMap::OneByte ? one_byte_has_modrm(result_.opcode)
                           : result_.map == OpcodeMap::TwoByte
                               ? (vector ? result_.opcode != 0x77 : two_byte_has_modrm(result_.opcode))
                               : true;
    if (has_modrm) operand();
    if (is_relative_branch(result_)) result_.displacement = number(is_short_branch(result_) ? 1 : 4);
    switch (result_.map) {
      case OpcodeMap::OneByte: at_ += one_byte_immediate(result_.opcode, result_.modrm, wide, narrow); break;
      case OpcodeMap::TwoByte: at_ += two_byte_immediate(result_.opcode); break;
      case OpcodeMap::Map3A: at_ += 1; break;
      case OpcodeMap::Map38: break;
    }
    result_.length = at_ <= code_.size() && !beyond_ ? at_ : 0;
    return result_;
  }

 private:
  uint8_t peek() {
    if (at_ < code_.size()) return code_[at_];
    beyond_ = true;
    return 0x90;
  }
  uint8_t next() {
    const uint8_t b = peek();
    ++at_;
    return b;
  }
  void escape() {
    ++at_;
    result_.map = OpcodeMap::TwoByte;
    if (peek() == 0x38)
      result_.map = OpcodeMap::Map38, ++at_;
    else if (peek() == 0x3a)
      result_.map = OpcodeMap::Map3A, ++at_;
  }
  bool vector_prefix() {
    const uint8_t kind = next();
    const uint8_t first = next();
    if (kind == 0xc5) {
      result_.map = OpcodeMap::TwoByte;
      return true;
    }
    const uint8_t map = first & (kind == 0x62 ? 7 : 0x1f);
    base_high_ = (~first & 0x20) >> 2;
    at_ += kind == 0x62 ? 2 : 1;
    result_.map = map == 2 || map == 6 ? OpcodeMap::Map38 : map == 3 ? OpcodeMap::Map3A : OpcodeMap::TwoByte;
    return true;
  }
  void operand() {
    const uint8_t m = result_.modrm = next();
    const uint8_t mode = m >> 6, low = m & 7;
    result_.reg = (m >> 3 & 7) | reg_high_;
    result_.memory = mode != 3;
    if (mode == 3) return;
    uint8_t base = low;
    if (low == 4) {
      const uint8_t sib = next();
      base = sib & 7;
      const uint8_t index = (sib >> 3 & 7) | index_high_;
      if (index != 4) result_.index = index;
      result_.scale = sib >> 6;
    }
    result_.base = base | base_high_;
    const bool no_base = mode == 0 && base == 5;
    if (no_base) result_.base = low == 5 ? Instruction::kRelative : Instruction::kNoBase;
    const size_t bytes = mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0;
    result_.displacement = number(bytes);
    at_ += bytes;
  }
  int64_t number(size_t bytes) const {  // signed number at the current position
    if (at_ + bytes > code_.size()) return 0;
    if (bytes == 1) return static_cast<int8_t>(code_[at_]);
    int32_t value = 0;
    std::memcpy(&value, code_.data() + at_, bytes);
    return value;
  }

  std::span<const uint8_t> code_;
  size_t at_ = 0;
  uint8_t reg_high_ = 0, index_high_ = 0, base_high_ = 0;  // fourth bits of registers' numbers
  bool beyond_ = false;
  Instruction result_;
};

}  // namespace

Instruction decode_instruction(std::span<const uint8_t> code) {
  constexpr size_t kLongest = 24;  // more than the legal 15, for surplus prefixes
  return Decoder(code.first(std::min(code.size(), kLongest))).decode();
}

}  // namespace lockstep
