// Decodes x86-64 instructions: their length and the memory that they access.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

enum class OpcodeMap : uint8_t { OneByte, TwoByte, Map38, Map3A };

struct Instruction {
  // Values of `base` and `index` that are not a register.
  static constexpr uint8_t kNoBase = 0xff, kRelative = 0xfe, kNoIndex = 0xff;

  size_t length = 0;                                // 0: cannot be decoded
  bool lock = false, wide = false, narrow = false;  // prefixes: LOCK, REX.W, 16-bit operands
  bool has_rex = false, other_prefix = false;       // other: a segment but fs, 32-bit addresses
  bool memory = false;                              // has a memory operand, or an address
  bool thread_local_ = false;                       // relative to fs: thread-local storage
  OpcodeMap map = OpcodeMap::OneByte;
  uint8_t opcode = 0, modrm = 0;
  uint8_t base = kNoBase;    // register number of the address; kRelative: relative to the end of the instruction
  uint8_t index = kNoIndex;  // register number; it is multiplied by 1 << scale
  uint8_t scale = 0;
  uint8_t reg = 0;           // register number of the other operand
  int64_t displacement = 0;  // of the address, or of a relative jump or call

  bool indexed() const { return index != kNoIndex; }
  uint8_t extension() const { return modrm >> 3 & 7; }
};

// The instruction at the beginning of `code`.
Instruction decode_instruction(std::span<const uint8_t> code);

}  // namespace lockstep
