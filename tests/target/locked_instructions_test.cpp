// Atomic instructions are recognised with their operands; what is not atomic, or cannot be followed, is left out.
#include "target/locked_instructions.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Kind = LockedInstruction::Kind;
constexpr uint8_t kNone = LockedInstruction::kNone;
constexpr uint64_t kBegin = 0x1000;
enum : uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 };

LockedInstruction only(std::vector<uint8_t> code) {
  code.push_back(0xc3);
  const std::vector<LockedInstruction> found = locked_instructions(code, kBegin);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? LockedInstruction{} : found[0];
}

LockedInstruction at(uint8_t base, uint8_t size, Kind kind = Kind::Modify) {
  LockedInstruction i{};
  i.address = kBegin;
  i.base = base;
  i.index = i.bit_register = kNone;
  i.size = size;
  i.kind = kind;
  return i;
}

TEST(LockedInstructions, AreFoundWithTheirOperands) {
  EXPECT_EQ(only({0x87, 0x07}), at(rdi, 4)) << "xchg %eax,(%rdi): locked without a prefix";
  EXPECT_EQ(only({0x86, 0x07}), at(rdi, 1)) << "xchg %al,(%rdi)";
  EXPECT_EQ(only({0xf0, 0x0f, 0xb1, 0x11}), at(rcx, 4, Kind::CompareExchange)) << "lock cmpxchg %edx,(%rcx)";
  EXPECT_EQ(only({0xf0, 0x48, 0x0f, 0xc7, 0x0e}), at(rsi, 16, Kind::CompareExchange)) << "lock cmpxchg16b (%rsi)";
  EXPECT_EQ(only({0x66, 0xf0, 0x0f, 0xc1, 0x02}), at(rdx, 2)) << "lock xadd %ax,(%rdx)";
  LockedInstruction scaled = at(rdi, 8);
  scaled.index = r8;
  scaled.scale = 3;
  scaled.displacement = 16;
  EXPECT_EQ(only({0xf0, 0x4a, 0xff, 0x44, 0xc7, 0x10}), scaled) << "lock incq 16(%rdi,%r8,8)";
  LockedInstruction relative = at(kNone, 4);
  relative.relative = true;
  relative.displacement = kBegin + 7 + 0x20;
  EXPECT_EQ(only({0xf0, 0xff, 0x0d, 0x20, 0x00, 0x00, 0x00}), relative) << "lock decl 0x20(%rip)";
  LockedInstruction bit = at(rdi, 8);
  bit.bit_register = rsi;
  EXPECT_EQ(only({0xf0, 0x48, 0x0f, 0xab, 0x37}), bit) << "lock bts %rsi,(%rdi)";
  EXPECT_EQ(only({0xf0, 0x83, 0x44, 0x24, 0x08, 0x01}).base, rsp) << "lock addl $1,8(%rsp): a local variable";
}

TEST(LockedInstructions, OthersAreLeftOut) {
  for (const std::vector<uint8_t>& code : std::vector<std::vector<uint8_t>>{{0x87, 0xd8},        // xchg %ebx,%eax
                                                                            {0x01, 0x07},        // add %eax,(%rdi)
                                                                            {0x0f, 0xb1, 0x11},  // cmpxchg
                                                                            {0x64, 0xf0, 0xff, 0x07},  // of its thread
                                                                            {0xf0, 0x83, 0x0c, 0x24, 0x00}}) {  // fence
    EXPECT_TRUE(locked_instructions(code, kBegin).empty()) << int(code[0]);
  }
  // Behind bytes that are no instruction nothing is certain.
  EXPECT_TRUE(locked_instructions(std::vector<uint8_t>{0x87}, kBegin).empty());
}

}  // namespace
}  // namespace lockstep
