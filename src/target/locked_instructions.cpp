// Finds instructions with a LOCK prefix, and exchanges with memory, which are locked without it.
#include "target/locked_instructions.hpp"

namespace lockstep {
namespace {

bool is_exchange(const Instruction& i) { return i.map == OpcodeMap::OneByte && (i.opcode == 0x86 || i.opcode == 0x87); }

// cmpxchg8b, cmpxchg16b
bool compares_pair(const Instruction& i) { return i.map == OpcodeMap::TwoByte && i.opcode == 0xc7; }

LockedInstruction::Kind kind_of(const Instruction& i) {
  using enum LockedInstruction::Kind;
  const bool compares = i.map == OpcodeMap::TwoByte && (i.opcode == 0xb0 || i.opcode == 0xb1);
  return compares || compares_pair(i) ? CompareExchange : Modify;
}

uint8_t size_of(const Instruction& i) {
  if (compares_pair(i)) return i.wide ? 16 : 8;
  const bool bits = i.map == OpcodeMap::TwoByte && (i.opcode == 0xba || (i.opcode & 0xe7) == 0xa3);
  if (!bits && !(i.opcode & 1)) return 1;
  return i.wide ? 8 : i.narrow ? 2 : 4;
}

// bts, btr and btc with a register
bool addresses_bits(const Instruction& i) { return i.map == OpcodeMap::TwoByte && (i.opcode & 0xe7) == 0xa3; }

// Adds nothing to the top of the stack: a fence.
bool is_fence(const Instruction& i, std::span<const uint8_t> code) {
  constexpr uint8_t kStackPointer = 4;
  const bool adds = (i.opcode == 0x80 || i.opcode == 0x83) && i.extension() < 2;
  return i.map == OpcodeMap::OneByte && i.base == kStackPointer && adds && code[i.length - 1] == 0;
}

}  // namespace

std::optional<LockedInstruction> locked_instruction(const Instruction& i, uint64_t end) {
  if (i.length == 0 || !i.memory || !(i.lock || is_exchange(i))) return std::nullopt;
  if (i.thread_local_ || i.other_prefix) return std::nullopt;
  LockedInstruction found{};
  found.address = end - i.length;
  const bool relative = i.base == Instruction::kRelative;
  found.displacement = i.displacement + (relative ? static_cast<int64_t>(end) : 0);
  found.base = i.base > 15 ? LockedInstruction::kNone : i.base;
  found.index = i.indexed() ? i.index : LockedInstruction::kNone;
  found.scale = i.scale;
  found.size = size_of(i);
  found.bit_register = addresses_bits(i) ? i.reg : LockedInstruction::kNone;
  found.kind = kind_of(i);
  found.relative = relative;
  return found;
}

std::vector<LockedInstruction> locked_instructions(std::span<const uint8_t> code, uint64_t address) {
  std::vector<LockedInstruction> found;
  for (size_t at = 0; at < code.size();) {
    const Instruction i = decode_instruction(code.subspan(at));
    if (i.length == 0) return found;
    const bool fence = is_fence(i, code.subspan(at));
    at += i.length;
    const auto locked = locked_instruction(i, address + at);
    if (locked && !fence) found.push_back(*locked);
  }
  return found;
}

}  // namespace lockstep
