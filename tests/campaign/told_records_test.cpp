// Which records of a long execution are replayed with stacks.
#include "campaign/told_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fake_trace.hpp"

namespace lockstep::fake {
namespace {

constexpr uint32_t kLong = 100'000;

bool tells(const std::vector<RecordRange>& told, uint32_t record) {
  return std::ranges::any_of(told, [&](const RecordRange& r) { return r.from <= record && record < r.to; });
}

// Thread 2 takes step 5 and comes to its next, thread 1 all others.
Trace long_trace() {
  FakeTrace trace;
  for (uint32_t i = 0; i < kLong; ++i) {
    const unsigned thread = i == 5 ? 2 : 1;
    trace.step(thread, OpKind::Load, 0x1000, 1u << thread, {});
  }
  trace.pending(2, OpKind::Load, 0x1000, {});
  return trace.end(Outcome::Assertion, 1);
}

TEST(ToldRecords, TheEndAndWhatEachThreadDidLast) {
  const auto told = told_records(long_trace(), {});
  EXPECT_TRUE(tells(told, kLong - 1));
  EXPECT_TRUE(tells(told, kLong + 5)) << "notes at the end";
  EXPECT_TRUE(tells(told, 5)) << "after it thread 2 came to where it is in the end";
  EXPECT_TRUE(tells(told, 6));
  EXPECT_FALSE(tells(told, kLong / 2));
}

TEST(ToldRecords, TheStepsOfTheFinding) {
  Finding finding;
  finding.steps = {40'000, 60'000};
  finding.race = DataRace{};
  finding.race->first.step = 20'000;
  finding.race->second.step = 0;
  const auto told = told_records(long_trace(), finding);
  for (const uint32_t step : {0u, 20'000u, 40'000u, 60'000u}) EXPECT_TRUE(tells(told, step)) << step;
  for (const uint32_t step : {10'000u, 30'000u, 50'000u}) EXPECT_FALSE(tells(told, step)) << step;
}

TEST(ToldRecords, TheStepBeforeOneThatMatters) {  // there a thread came to it
  Finding finding;
  FakeTrace trace;
  for (uint32_t i = 0; i < kLong; ++i) trace.step(i == 100 || i == 50'000 ? 2 : 1, OpKind::Load, 0x1000, 6, {});
  finding.steps = {50'000};
  const auto told = told_records(trace.end(Outcome::Ok), finding);
  EXPECT_TRUE(tells(told, 100));
  EXPECT_TRUE(tells(told, 101));
  EXPECT_FALSE(tells(told, 1'000));
}

TEST(ToldRecords, WhereALockWasTakenLast) {
  FakeTrace trace;
  for (uint32_t i = 0; i < kLong; ++i)
    trace.step(1, i == 100 || i == 50'000 ? OpKind::Lock : OpKind::Load, i == 100 || i == 50'000 ? 0x2000 : 0x1000, 2,
               {});
  const auto told = told_records(trace.end(Outcome::Deadlock), {});
  EXPECT_TRUE(tells(told, 50'000));
  EXPECT_FALSE(tells(told, 200));
}

TEST(ToldRecords, RangesAscendAndDoNotMeet) {
  Finding finding;
  finding.steps = {40'000, 40'005, 39'000, 99'999};
  const auto told = told_records(long_trace(), finding);
  for (size_t i = 1; i < told.size(); ++i) EXPECT_LT(told[i - 1].to, told[i].from);
}

}  // namespace
}  // namespace lockstep::fake
