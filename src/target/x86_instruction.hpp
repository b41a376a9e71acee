// Length of x86-64 instructions, and what of them says which memory they use.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

enum class OpcodeMap : uint8_t { OneByte, TwoByte, Map38, Map3A };

struct Instruction {
  static constexpr uint8_t kNoBase = 0xff, kRelative = 0xfe;  // instead of a base register

  size_t length = 0;  // 0: not understood
  bool lock = false;
  bool memory = false;         // has an operand in memory, or an address of memory
  bool thread_local_ = false;  // relative to fs: thread-local storage
  OpcodeMap map = OpcodeMap::OneByte;
  uint8_t opcode = 0, modrm = 0;
  uint8_t base = kNoBase;    // register number of the address; kRelative: the end of the instruction
  bool indexed = false;      // the address has an index register, too
  int64_t displacement = 0;  // of the address, or of a relative jump or call

  uint8_t extension() const { return modrm >> 3 & 7; }
};

// The instruction at the beginning of `code`.
Instruction decode_instruction(std::span<const uint8_t> code);

}  // namespace lockstep
