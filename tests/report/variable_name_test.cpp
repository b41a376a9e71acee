// How variables are spelled, and which of them a spelling means.
#include "report/variable_name.hpp"

#include <gtest/gtest.h>

#include "fake_trace.hpp"

namespace lockstep {
namespace {

TEST(VariableName, BlocksGoByWhereTheyCameFrom) {
  FakeSymbols symbols;
  symbols.functions = {{1, 20, "make"}, {900, 999, "std::allocate", "new_allocator.h"}};
  symbols.objects = {{0x5000, "table"}};
  const uint64_t in_library = 905, in_make = 12;
  const std::vector<uint64_t> stack = {in_library, in_make};
  const std::vector<std::span<const uint64_t>> stacks = {stack};
  TraceBuilder builder;
  auto block = [&](uint64_t begin, unsigned thread, uint32_t iteration, uint64_t pc, uint32_t stack_index) {
    Allocation a{};
    a.begin = begin, a.size = 16, a.pc = pc, a.origin = pc, a.stack = stack_index, a.iteration = iteration;
    a.thread = ThreadId(static_cast<uint16_t>(thread));
    builder.allocations.push_back(a);
  };
  block(0x2000, 0, 0, in_make, 0);
  block(0x1000, 0, 2, in_library, 1);  // not ascending
  block(0x3000, 2, 1, in_make, 0);
  block(0x5000, 0, 0, in_make, 0);
  block(0x6000, 0, 0, 0, 0);
  const Trace trace = builder.build();
  const VariableNames names(trace, stacks, symbols);
  EXPECT_EQ(names.of(ObjectId{0x2000}), "heap object allocated at bank.cpp:12");
  EXPECT_EQ(names.of(ObjectId{0x2008}), "heap object allocated at bank.cpp:12+8");
  EXPECT_EQ(names.of(ObjectId{0x1004}), "heap object allocated at bank.cpp:12 #3+4") << "the caller of the library";
  EXPECT_EQ(names.of(ObjectId{0x3000}), "heap object allocated at bank.cpp:12 by thread 2 #2");
  EXPECT_EQ(names.of(ObjectId{0x5000}), "table") << "a given name comes first";
  EXPECT_EQ(names.of(ObjectId{0x2010}), symbols.describe(ObjectId{0x2010})) << "behind the block";
  EXPECT_EQ(names.of(ObjectId{0x6000}), symbols.describe(ObjectId{0x6000})) << "nobody knows where it came from";
}

TEST(VariableName, PartsAreMeantWithTheWhole) {
  const std::string field = "bank::table[2].balance", third = "heap object allocated at bank.cpp:12 by thread 2 #3+8";
  for (const char* wanted :
       {"bank::table[2].balance", "bank::table[2]", "bank::table", "*table*", "bank::t?ble", "bank::table[[]2]"})
    EXPECT_TRUE(spells_variable(wanted, field)) << wanted;
  for (const char* wanted : {"table", "bank", "bank::tab", "bank::table[2].balances", "bank::table2", "", "balance"})
    EXPECT_FALSE(spells_variable(wanted, field)) << wanted;
  for (const char* wanted :
       {"heap object allocated at bank.cpp:12", "heap object allocated at bank.cpp:12 by thread 2", "heap*#3",
        "heap object allocated at bank.cpp:12 by thread 2 #3+8", "heap object allocated at *:12"})
    EXPECT_TRUE(spells_variable(wanted, third)) << wanted;
  for (const char* wanted :
       {"heap object allocated at bank.cpp:1", "heap object", "heap object allocated at bank.cpp:12 #3",
        "heap object allocated at bank.cpp:12 by thread 2 #3+", "bank.cpp:12"})
    EXPECT_FALSE(spells_variable(wanted, third)) << wanted;
  EXPECT_FALSE(
      spells_variable("heap object allocated at bank.cpp:12 #3+8", "heap object allocated at bank.cpp:12 #3+80"));
}

}  // namespace
}  // namespace lockstep
