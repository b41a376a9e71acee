#include "model/primitives.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/trace.hpp"

namespace lockstep {
namespace {

template <class Visit>
void for_each_kind(Visit visit) {
  for (unsigned k = 0; k < static_cast<unsigned>(OpKind::kCount); ++k) visit(static_cast<OpKind>(k));
}

// Is there a kind of the same primitive and mode with one of these flags? CondWait gives a mutex.
bool partner(OpKind kind, unsigned flags) {
  bool found = false;
  for_each_kind([&](OpKind other) {
    found |= has(other, flags) && traits(other).primitive == traits(kind).primitive &&
             has(other, OpTraits::kShared) == has(kind, OpTraits::kShared);
  });
  return found;
}

TEST(Primitives, WhatIsTakenCanBeGivenAndTheOtherWayRound) {
  for_each_kind([](OpKind kind) {
    const bool takes = has(kind, OpTraits::kTakes | OpTraits::kTries);
    const bool gives = has(kind, OpTraits::kGives) && kind != OpKind::CondWait;
    EXPECT_TRUE(!takes || partner(kind, OpTraits::kGives)) << name_of(kind);
    EXPECT_TRUE(!gives || partner(kind, OpTraits::kTakes | OpTraits::kTries)) << name_of(kind);
  });
}

TEST(Primitives, WhoGivesWakesAndWhoTakesWithoutTryingWaits) {
  for_each_kind([](OpKind kind) {
    EXPECT_TRUE(!has(kind, OpTraits::kGives) || is_release(kind)) << name_of(kind);
    EXPECT_TRUE(!has(kind, OpTraits::kTakes) || is_acquire(kind)) << name_of(kind);
    EXPECT_FALSE(has(kind, OpTraits::kTakes) && has(kind, OpTraits::kTries)) << name_of(kind);
  });
}

TEST(Primitives, EachHasAWaitThatAnotherOfItsOperationsEnds) {
  for_each_kind([](OpKind kind) {
    if (traits(kind).primitive == Primitive::None || !is_acquire(kind)) return;
    EXPECT_TRUE(partner(kind, OpTraits::kWakes)) << name_of(kind);
  });
}

TEST(Primitives, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for_each_kind([&](OpKind kind) { EXPECT_TRUE(names.insert(name_of(kind)).second) << name_of(kind); });
}

TEST(Primitives, TimedOutLocksAreNotHeldButAMutexIsAfterAConditionWait) {
  EXPECT_TRUE(acquires(OpKind::Lock, 0));
  EXPECT_FALSE(acquires(OpKind::Lock, Step::kTimedOut));
  EXPECT_FALSE(acquires(OpKind::WriteLock, Step::kTimedOut));
  EXPECT_TRUE(acquires(OpKind::Reacquire, Step::kTimedOut));
}

TEST(Primitives, TriesHoldOnlyWhatTheyGot) {
  for (const OpKind kind : {OpKind::TryLock, OpKind::TryReadLock, OpKind::TryWriteLock, OpKind::OnceEnter}) {
    EXPECT_TRUE(acquires(kind, Step::kWrite)) << name_of(kind);
    EXPECT_FALSE(acquires(kind, 0)) << name_of(kind);
  }
  EXPECT_FALSE(acquires(OpKind::SemWait, 0)) << "nobody holds a semaphore";
}

}  // namespace
}  // namespace lockstep
