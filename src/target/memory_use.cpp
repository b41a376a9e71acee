// Analyses the memory operands of a function's instructions.
#include "target/memory_use.hpp"

#include <algorithm>
#include <vector>

#include "target/locked_instructions.hpp"
#include "target/x86_instruction.hpp"

namespace lockstep {
namespace {

constexpr uint8_t kResult = 0, kStackPointer = 4, kFramePointer = 5, kSecondArgument = 6, kFirstArgument = 7;

bool is(const Instruction& i, OpcodeMap map, uint8_t opcode) { return i.map == map && i.opcode == opcode; }

// push %rbp; mov %rsp,%rbp, with or without endbr64: after it %rbp points to the frame.
bool has_frame_pointer(std::span<const uint8_t> code) {
  constexpr uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa}, kFrame[] = {0x55, 0x48, 0x89, 0xe5};
  if (code.size() >= 4 && std::equal(kLanding, kLanding + 4, code.begin())) code = code.subspan(4);
  return code.size() >= 4 && std::equal(kFrame, kFrame + 4, code.begin());
}

// The instruction has a memory operand but does not access it: it only uses the address, or nothing.
bool only_names_memory(const Instruction& i) {
  if (is(i, OpcodeMap::OneByte, 0x8d)) return true;                            // lea
  return i.map == OpcodeMap::TwoByte && i.opcode >= 0x18 && i.opcode <= 0x1f;  // nop, prefetch, endbr
}

bool only_reads(const Instruction& i) {
  if (i.map == OpcodeMap::TwoByte)
    return i.opcode == 0xb6 || i.opcode == 0xb7 || i.opcode == 0xbe || i.opcode == 0xbf || i.opcode == 0x10 ||
           i.opcode == 0x28 || i.opcode == 0x6f || i.opcode == 0x58 || i.opcode == 0x59 || i.opcode == 0xaf ||
           (i.opcode & 0xf0) == 0x40;
  if (i.map != OpcodeMap::OneByte) return false;
  return i.opcode == 0x8b || i.opcode == 0x8a || i.opcode == 0x63 || i.opcode == 0x69 || i.opcode == 0x6b ||
         (i.opcode < 0x40 && (i.opcode & 6) == 2) || i.opcode == 0xff;
}

// Instructions that access memory without an operand, call, or leave the program.
bool is_opaque(const Instruction& i) {
  if (i.lock) return true;
  if (i.map == OpcodeMap::TwoByte)
    return i.opcode == 0x05 || i.opcode == 0x34 || i.opcode == 0xf7 || i.opcode == 0xae || i.opcode == 0xc7;
  if (i.map != OpcodeMap::OneByte) return false;
  if (i.opcode == 0xff) return i.extension() == 2 || i.extension() == 3 || i.extension() == 5;
  const bool strings = (i.opcode >= 0xa4 && i.opcode <= 0xa7) || (i.opcode >= 0xaa && i.opcode <= 0xaf) ||
                       (i.opcode >= 0x6c && i.opcode <= 0x6f);
  const bool absolute = i.opcode >= 0xa0 && i.opcode <= 0xa3;
  return strings || absolute || i.opcode == 0xe8 || i.opcode == 0xd7 || i.opcode == 0xcd || i.opcode == 0xc8;
}

bool is_call(const Instruction& i) {
  return is(i, OpcodeMap::OneByte, 0xe8) || (is(i, OpcodeMap::OneByte, 0xff) && i.extension() == 2);
}

bool only_writes(const Instruction& i) {
  if (i.map == OpcodeMap::TwoByte)
    return i.opcode == 0x11 || i.opcode == 0x13 || i.opcode == 0x17 || i.opcode == 0x29 || i.opcode == 0x7f ||
           i.opcode == 0xd6;
  return i.map == OpcodeMap::OneByte && (i.opcode == 0x88 || i.opcode == 0x89 || i.opcode == 0xc6 || i.opcode == 0xc7);
}

// Arithmetic instructions with their result in memory.
bool reads_and_writes(const Instruction& i) {
  if (i.map != OpcodeMap::OneByte) return false;
  if (i.opcode < 0x38) return (i.opcode & 7) < 2;
  if (i.opcode == 0x80 || i.opcode == 0x81 || i.opcode == 0x83) return i.extension() != 7;    // not cmp
  if (i.opcode == 0xf6 || i.opcode == 0xf7) return i.extension() == 2 || i.extension() == 3;  // not, neg
  if (i.opcode == 0xfe || i.opcode == 0xff) return i.extension() < 2;                         // inc, dec
  return i.opcode == 0x86 || i.opcode == 0x87 || (i.opcode & 0xfe) == 0xc0 || (i.opcode & 0xfc) == 0xd0;
}

class CodeReader {
 public:
  CodeReader(std::span<const uint8_t> code, uint64_t address, const MemoryUseOptions& options)
      : code_(code), address_(address), options_(options), framed_(has_frame_pointer(code)) {}

  bool touches() {
    if (options_.judges_callees && calls_others()) return touches_beside_calls();
    for (size_t at = 0; at < code_.size();) {
      const Instruction i = decode_instruction(code_.subspan(at));
      if (is_followed(i)) {
        at += i.length;
        continue;
      }
      if (i.length == 0 || is_opaque(i)) return true;
      if (options_.judges_callees && i.map == OpcodeMap::OneByte && i.opcode == 0x89 && !i.memory)
        copy(code_.subspan(at));
      at += i.length;
      const uint64_t end = address_ + at;
      if (is_jump(i)) leaves_ |= end + static_cast<uint64_t>(i.displacement) - address_ >= code_.size();
      if (is(i, OpcodeMap::OneByte, 0xff) && i.extension() == 4 && jumps_anywhere(i)) return true;
      if (i.memory && use(i, end)) return true;
    }
    if (options_.judges_callees)
      return uses_what_it_takes() || (writes_ & ~(results() | (options_.throws ? 1u << kResult : 0u))) != 0;
    return leaves_ && uses_frame_;  // the target may know the frame, or the frame may be its caller's
  }

 private:
  bool is_followed(const Instruction& i) const { return options_.judges_callees && locked_instruction(i, 0); }
  // Compilers copy arguments of class type and build results without instrumentation, next to a call. So in
  // instrumented functions that call others, only accesses that can be neither count: to static variables, and to
  // memory that is read and then written. Without optimisation the latter takes two instructions.
  bool touches_beside_calls() {
    std::vector<int64_t> read;
    for (size_t at = 0; at < code_.size();) {
      const Instruction i = decode_instruction(code_.subspan(at));
      if (i.length == 0 || (i.lock && !is_followed(i))) return true;
      at += i.length;
      if (!i.memory || is_followed(i) || i.thread_local_ || only_names_memory(i)) continue;
      if (is(i, OpcodeMap::OneByte, 0xff) && i.extension() >= 2) continue;  // call, jump, push
      if (i.base == kStackPointer || (framed_ && i.base == kFramePointer)) continue;
      if (i.base == Instruction::kRelative) {
        if (!options_.constant(address_ + at + static_cast<uint64_t>(i.displacement))) return true;
      } else {
        const bool was_read = std::find(read.begin(), read.end(), i.displacement) != read.end();
        if (reads_and_writes(i) || (framed_ && only_writes(i) && was_read)) return true;
        if (framed_ && only_reads(i)) read.push_back(i.displacement);
      }
    }
    return false;
  }
  bool calls_others() const {
    for (size_t at = 0; at < code_.size();) {
      const Instruction i = decode_instruction(code_.subspan(at));
      if (i.length == 0) return false;
      if (is_call(i)) return true;
      at += i.length;
    }
    return false;
  }
  // For a mov between registers: the address of the frame is taken, or %rax gets the address of the result.
  void copy(std::span<const uint8_t> code) {
    const bool rex = (code[0] & 0xf0) == 0x40;
    const uint8_t prefix = rex ? code[0] : 0, modrm = code[rex ? 2 : 1];
    const unsigned from = (modrm >> 3 & 7) | (prefix & 4 ? 8 : 0), to = (modrm & 7) | (prefix & 1 ? 8 : 0);
    if (from == kStackPointer && to != kFramePointer) taken_.push_back({kStackPointer, 0});
    if (to == kResult && from != kStackPointer) results_ |= 1u << from | 1u << kResult;
    const bool argument = to == kFirstArgument || to == kSecondArgument;  // an argument of a call
    if (from != kResult && to != kResult && !argument) copies_.push_back(1u << from | 1u << to);
  }
  // Registers that hold the address of the result, or a copy of that address.
  uint32_t results() const {
    uint32_t all = results_;
    for (uint32_t before = 0; all != before;) {
      before = all;
      for (const uint32_t pair : copies_)
        if (all & ~(1u << kResult) & pair) all |= pair;
    }
    return all;
  }
  bool uses_what_it_takes() const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const FramePlace& place) {
      return std::find(used_.begin(), used_.end(), place) != used_.end();
    });
  }
  static bool is_jump(const Instruction& i) {
    if (i.map == OpcodeMap::TwoByte) return (i.opcode & 0xf0) == 0x80;
    return i.map == OpcodeMap::OneByte && ((i.opcode & 0xf0) == 0x70 || i.opcode == 0xeb || i.opcode == 0xe9 ||
                                           (i.opcode >= 0xe0 && i.opcode <= 0xe3));
  }
  bool jumps_anywhere(const Instruction& i) {
    if (i.memory && i.base == Instruction::kRelative) {  // jumps to another module
      leaves_ = true;
      return false;
    }
    return !has_table_;  // otherwise the jump of a switch
  }
  // True if the memory of this operand may be shared.
  bool use(const Instruction& i, uint64_t end) {
    const bool frame = i.base == kStackPointer || (framed_ && i.base == kFramePointer);
    const bool relative = i.base == Instruction::kRelative;
    const bool constant = relative && options_.constant(end + static_cast<uint64_t>(i.displacement));
    if (only_names_memory(i)) {
      has_table_ |= constant;
      if (frame && is(i, OpcodeMap::OneByte, 0x8d)) taken_.push_back({i.base, i.displacement});
      return false;
    }
    uses_frame_ |= frame;
    if (frame) used_.push_back({i.base, i.displacement});
    if (i.thread_local_ || frame || constant) return false;
    if (is(i, OpcodeMap::OneByte, 0xff) && i.extension() == 4 && relative) return false;
    if (options_.judges_callees && i.base < 16 && !i.indexed() && only_writes(i)) {
      writes_ |= 1u << i.base;
      return false;
    }
    return relative || !options_.trust_tables || !has_table_ || !only_reads(i);
  }

  std::span<const uint8_t> code_;
  uint64_t address_;
  const MemoryUseOptions& options_;
  bool framed_, leaves_ = false, uses_frame_ = false, has_table_ = false;
  struct FramePlace {
    uint8_t base;
    int64_t displacement;
    bool operator==(const FramePlace&) const = default;
  };
  std::vector<FramePlace> taken_, used_;  // places of the frame: those whose address is taken, those that are accessed
  // Registers through which memory is written; registers whose value goes to %rax.
  uint32_t writes_ = 0, results_ = 0;
  std::vector<uint32_t> copies_;  // pairs of registers, as bits
};

}  // namespace

bool may_touch_shared_memory(std::span<const uint8_t> code, uint64_t address, const MemoryUseOptions& options) {
  return CodeReader(code, address, options).touches();
}

}  // namespace lockstep
