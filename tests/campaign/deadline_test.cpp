// A command ends when its time is over, and gives what it has found a moment to be replayed.
#include "campaign/deadline.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

TEST(Deadline, WithoutTimeThereIsNone) {
  const Deadline deadline(Clock::now() - 24h, std::nullopt, nullptr);
  EXPECT_FALSE(deadline.is_over());
  EXPECT_FALSE(deadline.is_overdue());
  EXPECT_FALSE(deadline.left());
  EXPECT_GE(deadline.seconds(), 24 * 3600);
}

TEST(Deadline, IsOverAtItsTimeAndOverdueALittleLater) {
  const Deadline early(Clock::now() - 5s, 1min, nullptr);
  EXPECT_FALSE(early.is_over());
  EXPECT_LE(*early.left(), 55s);
  EXPECT_GT(*early.left(), 0s);
  const Deadline over(Clock::now() - 61s, 1min, nullptr);
  EXPECT_TRUE(over.is_over());
  EXPECT_FALSE(over.is_overdue()) << "3 s for what is under way";
  EXPECT_EQ(*over.left(), 0s);
  const Deadline overdue(Clock::now() - 64s, 1min, nullptr);
  EXPECT_TRUE(overdue.is_overdue());
}

TEST(Deadline, NeverWaitsLongerThanPromised) {
  for (const std::chrono::milliseconds time : {1ms, 1000ms, 10'000ms, 600'000ms})
    EXPECT_LT(grace_after(time), std::max<std::chrono::milliseconds>(1s, time / 10)) << time.count();
}

TEST(Deadline, AnInterruptEndsItAndStaysOne) {
  bool interrupted = false;
  const Deadline deadline(Clock::now(), std::nullopt, [&] { return interrupted; });
  EXPECT_FALSE(deadline.is_over());
  interrupted = true;
  EXPECT_TRUE(deadline.is_over());
  EXPECT_FALSE(deadline.is_overdue()) << "a bug found before may still be replayed";
  interrupted = false;
  EXPECT_TRUE(deadline.was_interrupted());
}

TEST(Deadline, SavingIsGivenUpWhenTheCommandHasToEnd) {
  EXPECT_FALSE(Deadline(Clock::now() - 61s, 1min, nullptr).is_too_late_to_save());
  EXPECT_TRUE(Deadline(Clock::now() - 64s, 1min, nullptr).is_too_late_to_save());
  const Deadline interrupted(Clock::now(), std::nullopt, [] { return true; });
  EXPECT_FALSE(interrupted.is_too_late_to_save()) << "most states are saved in time";
}

TEST(Deadline, APartOfACommandEndsWithIt) {
  const Deadline part(Clock::now() - 2s, 1s, nullptr, Clock::now() - 1s);
  EXPECT_TRUE(part.is_overdue());
  const Deadline other(Clock::now() - 2s, 1s, nullptr, Clock::now() + 1h);
  EXPECT_TRUE(other.is_over());
  EXPECT_FALSE(other.is_overdue());
}

}  // namespace
}  // namespace lockstep
