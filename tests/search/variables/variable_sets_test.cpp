// Sets of shared variables, stage by stage, while variables are being added.
#include "search/variables/variable_sets.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Set = std::vector<size_t>;

std::vector<Set> all(VariableSets& sets, size_t variables) {
  std::vector<Set> found;
  while (sets.advance(variables)) found.push_back(sets.set());
  return found;
}

TEST(VariableSets, VariablesOutsidePreemptionsInside) {
  VariableSets sets(VariableSets::by_variables(3, 2));
  EXPECT_EQ(all(sets, 3), (std::vector<Set>{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(sets.finished(3, false), 3u);
  EXPECT_EQ(sets[1].preemptions, 3u);
  EXPECT_EQ(sets[2].variables, 2u);
}

TEST(VariableSets, PreemptionsOutside) {
  VariableSets sets(VariableSets::by_preemptions(2, 2));
  EXPECT_EQ(all(sets, 2), (std::vector<Set>{{}, {0}, {1}, {0}, {1}, {0, 1}}));
}

TEST(VariableSets, ANewVariableReopensWhatWasFinished) {
  VariableSets sets(VariableSets::by_variables(2, 2));
  ASSERT_EQ(all(sets, 2).size(), 4u);
  EXPECT_EQ(sets.finished(2, false), 3u);
  EXPECT_EQ(sets.finished(3, false), 1u) << "of three variables, not all sets of one are done";
  EXPECT_EQ(all(sets, 3), (std::vector<Set>{{2}, {0, 2}, {1, 2}}));
  EXPECT_EQ(sets.finished(3, false), 3u);
}

TEST(VariableSets, TheSetUnderWayIsNotFinished) {
  VariableSets sets(VariableSets::by_variables(2, 1));
  ASSERT_TRUE(sets.advance(1) && sets.advance(1));
  EXPECT_EQ(sets.finished(1, true), 1u);
  EXPECT_EQ(sets.finished(1, false), 2u);
}

TEST(VariableSets, AreContinuedWhereTheyWereSaved) {
  VariableSets sets(VariableSets::by_variables(2, 2));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sets.advance(3));
  StateWriter out;
  sets.save(out);
  VariableSets again(VariableSets::by_variables(2, 2));
  StateReader in(out.bytes());
  again.load(in);
  ASSERT_TRUE(in.good() && in.at_end());
  EXPECT_EQ(again.set(), (Set{1}));
  EXPECT_EQ(all(again, 3), all(sets, 3));
}

}  // namespace
}  // namespace lockstep
