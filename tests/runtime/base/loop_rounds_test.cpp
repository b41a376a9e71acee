// When another round of a loop that gives way can matter.
#include "runtime/base/loop_rounds.hpp"

#include <gtest/gtest.h>

namespace lockstep::rt {
namespace {

using Pass = Rounds::Pass;

struct Passes : testing::Test {
  Passes() { rounds.begin(); }
  Rounds rounds;
};

TEST_F(Passes, InTheSameStateDoNothing) {
  EXPECT_EQ(rounds.pass(1, 7, 3), Pass::First);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(rounds.pass(1, 7, 3), Pass::Same) << i;
}

TEST_F(Passes, InOtherStatesAreCounted) {
  EXPECT_EQ(rounds.pass(1, 1, 3), Pass::First);
  EXPECT_EQ(rounds.pass(1, 2, 3), Pass::Counts);
  EXPECT_EQ(rounds.pass(1, 3, 3), Pass::Counts);
  EXPECT_EQ(rounds.pass(1, 4, 3), Pass::Beyond);
  // Once the others had their turn there are three again, the one that gave the turn included.
  EXPECT_EQ(rounds.pass(1, 5, 3), Pass::Counts);
  EXPECT_EQ(rounds.pass(1, 6, 3), Pass::Counts);
  EXPECT_EQ(rounds.pass(1, 7, 3), Pass::Beyond);
}

TEST_F(Passes, InAStateThatIsNotKnownAreCounted) {
  EXPECT_EQ(rounds.pass(1, 0, 1), Pass::First);
  EXPECT_EQ(rounds.pass(1, 0, 1), Pass::Beyond);
  EXPECT_EQ(rounds.pass(1, 0, 1), Pass::Beyond);
}

TEST_F(Passes, OfTwoStatesInTurnDoNothing) {
  EXPECT_EQ(rounds.pass(1, 1, 1), Pass::First);
  EXPECT_EQ(rounds.pass(1, 2, 2), Pass::Counts);
  EXPECT_EQ(rounds.pass(1, 1, 2), Pass::Same);
  EXPECT_EQ(rounds.pass(1, 2, 2), Pass::Same);
}

TEST_F(Passes, AtOtherPlacesAreNoRounds) {
  EXPECT_EQ(rounds.pass(1, 1, 1), Pass::First);
  EXPECT_EQ(rounds.pass(2, 2, 1), Pass::New);
  EXPECT_EQ(rounds.pass(3, 3, 1), Pass::New);
  EXPECT_EQ(rounds.pass(2, 4, 1), Pass::Beyond);
}

TEST_F(Passes, OfALoopWithManyPlacesComeToAnEnd) {
  unsigned beyond = 0;
  for (uint64_t i = 0; i < 1000; ++i) beyond += rounds.pass(i % 50, i + 1, 2) == Pass::Beyond;
  EXPECT_GT(beyond, 10u);
}

}  // namespace
}  // namespace lockstep::rt
