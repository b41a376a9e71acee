// Carrying a recorded schedule over to a program that has changed a little.
#include "campaign/stored_schedules.hpp"

#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

namespace lockstep {
namespace {

RecordedOperation op(OpKind kind, const char* object, const char* function) {
  return {ThreadId{1}, kind, 0, object, "", function};
}

const std::vector<RecordedOperation> kRecorded = {op(OpKind::Lock, "m", "put"), op(OpKind::Load, "size", "put"),
                                                  op(OpKind::Unlock, "m", "put"), op(OpKind::Store, "size", "add")};

TEST(CarryOver, LeavesAnUnchangedThreadAsItIs) {
  EXPECT_EQ(carry_over(kRecorded, kRecorded), (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST(CarryOver, PassesOverWhatIsNew) {
  auto now = kRecorded;
  now.insert(now.begin() + 1, op(OpKind::Rmw, "statistics", "count"));
  now.insert(now.begin(), op(OpKind::Load, "level", "log"));
  EXPECT_EQ(carry_over(kRecorded, now), (std::vector<uint32_t>{2, 4, 5, 6}));
}

TEST(CarryOver, StaysWhereItIsForWhatIsGone) {
  auto now = kRecorded;
  now.erase(now.begin() + 1);
  EXPECT_EQ(carry_over(kRecorded, now), (std::vector<uint32_t>{1, 1, 2, 3}));
}

TEST(CarryOver, KnowsAnOperationByItsObjectOrByItsFunction) {
  auto now = kRecorded;
  now[0].object = now[2].object = "lock_";  // renamed
  now[3].function = "append";               // moved
  EXPECT_EQ(carry_over(kRecorded, now), (std::vector<uint32_t>{1, 2, 3, 4}));
  now[1].object = "length";
  now[1].function = "size";  // another operation as far as anybody can tell
  EXPECT_EQ(carry_over(kRecorded, now)[1], 1u);
}

TEST(CarryOver, PrefersTheSameObjectToTheSameFunction) {
  const std::vector<RecordedOperation> recorded = {op(OpKind::Load, "counter", "add"),
                                                   op(OpKind::Store, "counter", "add")};
  const std::vector<RecordedOperation> now = {
      op(OpKind::Store, "statistics", "add"), op(OpKind::Load, "statistics", "add"), op(OpKind::Load, "counter", "add"),
      op(OpKind::Store, "statistics", "add"), op(OpKind::Store, "counter", "add")};
  EXPECT_EQ(carry_over(recorded, now), (std::vector<uint32_t>{3, 5}));
}

TEST(CarryOver, GoesOnAsBeforeBeyondWhatIsKnown) {
  const std::vector<RecordedOperation> now(kRecorded.begin(), kRecorded.begin() + 2);
  EXPECT_EQ(carry_over(kRecorded, now), (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(carry_over({}, now), std::vector<uint32_t>{});
}

TEST(StoredSchedules, PassOverWhatIsNoScheduleOfThisCommand) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lockstep-stored-test";
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(stored_schedules(folder.string(), {"./a"}).empty());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "bug-1.lockstep") << "{ broken";
  ScheduleFile file;
  file.threads.push_back({});
  for (const auto& [name, program] : {std::pair{"bug-10.lockstep", "./a"},
                                      {"bug-2.lockstep", "./a"},
                                      {"bug-3.lockstep", "./b"},
                                      {"bug-x.lockstep", "./a"}}) {
    file.program = {program};
    ASSERT_FALSE(save_schedule(file, (folder / name).string()));
  }
  const auto stored = stored_schedules(folder.string(), {"./a"});
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[0].number, 2u);
  EXPECT_EQ(stored[1].number, 10u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lockstep
