// Abstract states: what makes two of them equal.
#include "search/base/state_hash.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

constexpr ObjectId kX{64}, kY{128};

Step step(int thread, OpKind kind, ObjectId object, uint64_t expected = 0) {
  Step step{};
  step.thread = ThreadId{static_cast<uint16_t>(thread)};
  step.kind = kind;
  step.object = object;
  if (kind == OpKind::Store || kind == OpKind::Cas) step.flags = Step::kWrite;
  if (kind == OpKind::Cas) step.second = Companion::expected(expected);
  return step;
}

uint64_t after(std::initializer_list<Step> steps) {
  StateHash hash;
  hash.begin();
  uint64_t state = 0;
  for (const Step& s : steps) state = hash.add(s);
  return state;
}

const Step load1 = step(1, OpKind::Load, kX), load2 = step(2, OpKind::Load, kX), store2 = step(2, OpKind::Store, kX),
           other2 = step(2, OpKind::Store, kY), other3 = step(3, OpKind::Store, kY);

TEST(StateHash, TellsWhetherWhatAThreadReadHasChangedSince) {
  // Both threads did the same last, and what thread 1 read had been stored; only in the first it is overtaken.
  const Step first2 = step(2, OpKind::Store, kX);
  EXPECT_NE(after({first2, load1, store2}), after({first2, store2, load1}));
  EXPECT_EQ(after({other2, load1, other2}), after({other2, other2, load1})) << "another object is no change";
}

TEST(StateHash, IsTheSameWhicheverThreadsDidIt) {
  EXPECT_EQ(after({load1, other2}), after({load1, other3}));
  EXPECT_EQ(after({load1, other2}), after({other2, load1}));
  EXPECT_NE(after({load1}), after({load1, load2}));
}

TEST(StateHash, TellsWhatACompareAndSwapExpected) {
  EXPECT_NE(after({step(1, OpKind::Cas, kX, 1)}), after({step(1, OpKind::Cas, kX, 2)}));
  EXPECT_EQ(after({step(1, OpKind::Cas, kX, 1)}), after({step(2, OpKind::Cas, kX, 1)}));
}

}  // namespace
}  // namespace lockstep
