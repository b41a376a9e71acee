// What is added to a claim from what the executions reported.
#include "search/exploration/provisos.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Claim completed(Claim claim, const Evidence& evidence) {
  add_provisos(claim, evidence);
  return claim;
}

TEST(Provisos, ABoundThatWasNotFinishedIsNotClaimed) {
  Evidence evidence;
  evidence.preemption_bound = 3;
  Claim claim;
  claim.scope = Scope::Executions;
  EXPECT_EQ(completed(claim, evidence).bounds.preemptions, 3u) << "without a bound of its own";
  claim.bounds.preemptions = 0;
  EXPECT_EQ(completed(claim, evidence).bounds.preemptions, 0u);
  claim.bounds.preemptions = 5;
  EXPECT_EQ(completed(claim, evidence).bounds.preemptions, 3u);
}

TEST(Provisos, TheLimitOfDelaysIsABoundOfProgramsWithTimedOperations) {
  Evidence evidence;
  Claim claim;
  claim.scope = Scope::Executions;
  claim.finished = true;
  EXPECT_EQ(completed(claim, evidence).memory, MemoryModel::Any);
  evidence.max_delay_ms = 10;
  EXPECT_EQ(completed(claim, evidence).bounds.max_delay_ms, 10u);
  EXPECT_EQ(completed(claim, evidence).memory, MemoryModel::Sc) << "other executions exist";
  claim.scope = Scope::None;
  EXPECT_FALSE(completed(claim, evidence).bounds.max_delay_ms);
}

TEST(Provisos, WhereThereAreNoPreemptionsOtherExecutionsExist) {
  Claim claim;
  claim.scope = Scope::Executions;
  claim.finished = true;
  Evidence evidence;
  evidence.preempts_in = {"*queue*"};
  EXPECT_EQ(completed(claim, evidence).memory, MemoryModel::Sc);
  EXPECT_EQ(completed(claim, evidence).preempts_in, evidence.preempts_in);
  EXPECT_TRUE(completed(claim, evidence).complete()) << "the user chose that";
  evidence = {};
  evidence.trusts_code = true;
  EXPECT_EQ(completed(claim, evidence).memory, MemoryModel::Sc);
}

}  // namespace
}  // namespace lockstep
