// Decodes x86-64 instructions: their length and the memory that they access.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

enum class OpcodeMap : uint8_t { OneByte, TwoByte, Map38, Map3A };

struct Instruction {
  static constexpr uint8_t kNoBase = 0xff, kRelative = 0xfe;  // values of `base` that are not a register

  size_t length = 0;  // 0: cannot be decoded
  bool lock = false;
  bool memory = false;         // has a memory operand, or an address
  bool thread_local_ = false;  // relative to fs: thread-local storage
  OpcodeMap map = OpcodeMap::OneByte;
  uint8_t opcode = 0, modrm = 0;
  uint8_t base = kNoBase;    // register number of the address; kRelative: relative to the end of the instruction
  bool indexed = false;      // the address also has an index register
  int64_t displacement = 0;  // of the address, or of a relative jump or call

  uint8_t extension() const { return modrm >> 3 & 7; }
};

// The instruction at the beginning of `code`.
Instruction decode_instruction(std::span<const uint8_t> code);

}  // namespace lockstep
