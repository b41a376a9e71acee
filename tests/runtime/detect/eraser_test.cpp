// The state machine of lock discipline, row by row.
#include "runtime/detect/eraser.hpp"

#include <gtest/gtest.h>

namespace lockstep::rt {
namespace {

constexpr ThreadId kA{1}, kB{2}, kC{3};

class Discipline : public testing::Test {
 protected:
  static Eraser& eraser() {
    static Eraser e;
    static const bool ready = (e.init(), true);
    (void)ready;
    return e;
  }
  void SetUp() override { eraser().begin(true); }
  void lock(ThreadId t, int& m, bool write = true) { eraser().locked(t, &m, write); }
  void unlock(ThreadId t, int& m) { eraser().unlocked(t, &m); }
  bool write(ThreadId t, unsigned at = 0, unsigned size = 4) { return access(t, at, size, true); }
  bool read(ThreadId t, unsigned at = 0, unsigned size = 4) { return access(t, at, size, false); }
  // Is it a breach?
  bool access(ThreadId t, unsigned at, unsigned size, bool write) {
    const unsigned before = eraser().count;
    eraser().access(t, reinterpret_cast<uintptr_t>(memory_) + at, size, write, ++place_);
    return eraser().count > before;
  }
  int m1 = 0, m2 = 0;

 private:
  alignas(8) char memory_[64] = {};
  uint64_t place_ = 0;
};

TEST_F(Discipline, OneThreadNeedsNoLock) {
  EXPECT_FALSE(write(kA));
  EXPECT_FALSE(read(kA));
  EXPECT_FALSE(write(kA));
}

TEST_F(Discipline, ReadersNeedNone) {
  write(kA);
  EXPECT_FALSE(read(kB));
  EXPECT_FALSE(read(kC));
  EXPECT_FALSE(read(kA));
}

TEST_F(Discipline, ASecondWriterNeedsOne) {
  write(kA);
  EXPECT_TRUE(write(kB));
}

TEST_F(Discipline, AWriterAfterReadersNeedsOne) {
  write(kA);
  read(kB);
  EXPECT_TRUE(write(kC));
}

TEST_F(Discipline, TheSameLockAlways) {
  for (const ThreadId t : {kA, kB, kC, kA}) {
    lock(t, m1);
    EXPECT_FALSE(write(t));
    unlock(t, m1);
  }
}

TEST_F(Discipline, TheLocksInCommonShrink) {
  write(kA);
  lock(kB, m1), lock(kB, m2);
  EXPECT_FALSE(write(kB));
  unlock(kB, m1);
  lock(kC, m1);
  lock(kC, m2), unlock(kC, m1);
  EXPECT_FALSE(write(kC)) << "m2 is common";
  unlock(kC, m2), lock(kC, m1);
  EXPECT_TRUE(write(kC));
}

TEST_F(Discipline, ReadingNeedsTheLockOnceItIsModified) {
  lock(kA, m1), write(kA);
  lock(kB, m1), write(kB), unlock(kB, m1);
  EXPECT_TRUE(read(kC));
}

TEST_F(Discipline, AReadLockDoesNotProtectAWrite) {
  lock(kA, m1), write(kA), unlock(kA, m1);
  lock(kB, m1, false);
  EXPECT_FALSE(read(kB));
  EXPECT_TRUE(write(kB));
}

TEST_F(Discipline, BytesAreApart) {
  write(kA, 0, 1);
  EXPECT_FALSE(write(kB, 1, 1));
  EXPECT_FALSE(write(kA, 0, 1));
  EXPECT_TRUE(write(kA, 0, 2));
}

TEST_F(Discipline, FreshMemoryBelongsToNobody) {
  write(kA);
  eraser().fresh(reinterpret_cast<uintptr_t>(this), sizeof *this);
  EXPECT_FALSE(write(kB));
}

TEST_F(Discipline, EveryExecutionStartsAfresh) {
  write(kA);
  eraser().begin(true);
  EXPECT_FALSE(write(kB));
  EXPECT_FALSE(eraser().broken());
}

TEST(LockSets, TheSameSetHasTheSameNumber) {
  LockSets sets;
  sets.init();
  sets.begin();
  const auto a = sets.with(LockSets::kNone, 1), b = sets.with(LockSets::kNone, 2);
  const auto ab = sets.with(a, 2);
  EXPECT_EQ(ab, sets.with(b, 1));
  EXPECT_EQ(sets.without(ab, 1), b);
  EXPECT_EQ(sets.without(b, 2), LockSets::kNone);
  EXPECT_EQ(sets.common(ab, b), b);
  EXPECT_EQ(sets.common(a, b), LockSets::kNone);
  EXPECT_EQ(sets.with(ab, 2), ab);
  for (unsigned n = 0; n < 200; ++n) {  // three independent ways to {n, n+1}
    const auto one = sets.with(sets.with(LockSets::kNone, n), n + 1);
    const auto other = sets.without(sets.with(sets.with(sets.with(LockSets::kNone, n + 1), 1000), n), 1000);
    EXPECT_EQ(one, other);
    EXPECT_EQ(sets.size(one), 2u);
  }
}

TEST(LockSets, TooManyAreTakenForSetsThatAreNeverEmpty) {
  LockSets sets;
  sets.init();
  sets.begin();
  LockSets::Id last = LockSets::kNone;
  for (uint64_t n = 0; n < 20'000; ++n) last = sets.with(LockSets::kNone, 100 + n);
  EXPECT_EQ(last, LockSets::kUnknown);
  EXPECT_EQ(sets.common(last, last), LockSets::kUnknown);
  EXPECT_NE(sets.common(last, sets.with(LockSets::kNone, 100)), LockSets::kNone);
}

}  // namespace
}  // namespace lockstep::rt
