// When a checkpoint is made: where it saves more than it costs.
#include "runtime/serve/checkpoint_cost.hpp"

#include <gtest/gtest.h>

namespace lockstep::rt {
namespace {

constexpr uint64_t kCost = 10'000;

// What a worker knows after many executions with checkpoints that cost `kCost`.
CheckpointCost seasoned() {
  CheckpointCost balance{};
  balance.init();
  for (int i = 0; i < 100; ++i) {
    balance.saved(kCost);
    balance.resumed(kCost);
  }
  return balance;
}

TEST(CheckpointCost, NoCheckpointInShortExecutions) {
  CheckpointCost balance = seasoned();
  balance.took(kCost);
  EXPECT_TRUE(balance.too_short());
  balance.took(10 * kCost);
  EXPECT_FALSE(balance.too_short());
}

// One that was interrupted is forgotten after some that were not.
TEST(CheckpointCost, OneLongExecutionAmongShortOnesIsForgotten) {
  CheckpointCost balance = seasoned();
  balance.took(10 * kCost);
  for (int i = 0; i < 40; ++i) balance.took(kCost);
  EXPECT_TRUE(balance.too_short());
}

TEST(CheckpointCost, AnExecutionIsLongByItsTime) {
  CheckpointCost balance = seasoned();
  balance.took(100 * kCost);
  EXPECT_FALSE(balance.is_long());
  balance.took(1000 * kCost);
  EXPECT_TRUE(balance.is_long());
}

TEST(CheckpointCost, PaysBehindALongBeginningOnly) {
  const CheckpointCost balance = seasoned();
  EXPECT_FALSE(balance.pays(kCost));
  EXPECT_FALSE(balance.pays(2 * kCost));
  EXPECT_TRUE(balance.pays(3 * kCost));
}

TEST(CheckpointCost, FollowsWhatCheckpointsCost) {
  CheckpointCost balance = seasoned();
  for (int i = 0; i < 100; ++i) balance.resumed(4 * kCost);
  EXPECT_FALSE(balance.pays(5 * kCost));
  for (int i = 0; i < 100; ++i) balance.resumed(kCost);
  EXPECT_TRUE(balance.pays(5 * kCost));
}

// Each checkpoint that nobody starts from doubles what the next one must save; each that is used takes that back.
TEST(CheckpointCost, PatienceGrowsWithUnusedCheckpoints) {
  CheckpointCost balance = seasoned();
  balance.unused();
  EXPECT_FALSE(balance.pays(4 * kCost));
  EXPECT_TRUE(balance.pays(8 * kCost));
  for (unsigned i = 0; i < 100; ++i) balance.unused();
  EXPECT_FALSE(balance.pays(1000 * kCost));
  EXPECT_TRUE(balance.pays(3000 * kCost)) << "never quite given up";
  for (unsigned i = 0; i < CheckpointCost::kMostPatience; ++i) balance.used();
  EXPECT_TRUE(balance.pays(3 * kCost));
}

}  // namespace
}  // namespace lockstep::rt
