// What reasons leave of a reduction.
#include <gtest/gtest.h>

#include "search/judge/judge.hpp"

namespace lockstep {
namespace {

constexpr Method kMethods[] = {Method::PartialOrder, Method::Bounded, Method::StateCache};

Reasons all_of(std::initializer_list<Reason> list) {
  Reasons reasons;
  for (const Reason reason : list) reasons.add(reason);
  return reasons;
}

TEST(Judge, AllowsEverythingWithoutAReason) {
  for (const Method method : kMethods) EXPECT_EQ(allowed_by(Reasons{}, method), Reduction::Full);
}

TEST(Judge, AllowsNothingWhereNobodyKnows) {
  for (const Method method : kMethods) {
    EXPECT_EQ(allowed_by(all_of({Reason::Unknown}), method), Reduction::Nothing);
    EXPECT_EQ(allowed_by(Reasons(1u << 31), method), Reduction::Nothing) << "a reason of a newer runtime";
  }
}

TEST(Judge, AllowsTheLeastOfWhatTheReasonsAllow) {
  EXPECT_EQ(allowed_by(all_of({Reason::Timeout, Reason::EarlyExit}), Method::PartialOrder), Reduction::OneLane);
  EXPECT_EQ(allowed_by(all_of({Reason::EarlyExit, Reason::Interrupt}), Method::PartialOrder), Reduction::Nothing);
  EXPECT_EQ(allowed_by(all_of({Reason::ThreadsAtExit, Reason::Timeout}), Method::Bounded), Reduction::Nothing);
}

TEST(Judge, AllowsNothingWhereAThreadIsNotPreempted) {
  for (const Method method : kMethods)
    for (const Reason reason : {Reason::Unpreemptible, Reason::HiddenSync, Reason::Interrupt, Reason::LockMisuse})
      EXPECT_EQ(allowed_by(reason, method), Reduction::Nothing);
}

}  // namespace
}  // namespace lockstep
