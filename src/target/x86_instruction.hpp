// x86-64 instructions: their length, and what matters of them. Enough to walk through a function from its start.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

enum class OpcodeMap : uint8_t { OneByte, TwoByte, k38, k3A };

struct Instruction {
  size_t length = 0;  // 0: not understood
  bool lock = false, memory = false;
  OpcodeMap map = OpcodeMap::OneByte;
  uint8_t opcode = 0, modrm = 0;
};

Instruction decode(std::span<const uint8_t> code);

}  // namespace lockstep
