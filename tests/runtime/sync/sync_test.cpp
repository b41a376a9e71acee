// The primitives' state machines: no thread, no scheduler.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/sync/barrier.hpp"
#include "runtime/sync/mutex.hpp"
#include "runtime/sync/once.hpp"
#include "runtime/sync/rwlock.hpp"
#include "runtime/sync/semaphore.hpp"

namespace lockstep::rt {
namespace {

constexpr ThreadId kA{1}, kB{2};

TEST(Mutex, AStaticallyInitialisedOneIsFree) {
  pthread_mutex_t raw = PTHREAD_MUTEX_INITIALIZER;
  Mutex& m = Mutex::of(&raw);
  EXPECT_TRUE(m.can_lock());
  m.lock(kA);
  EXPECT_FALSE(m.can_lock());
  EXPECT_TRUE(m.owned_by(kA));
  EXPECT_FALSE(m.owned_by(kB));
  m.unlock();
  EXPECT_TRUE(m.can_lock());
}

TEST(Mutex, KnowsTheKindThatLibcStored) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  const std::pair<int, Mutex::Type> kinds[] = {{PTHREAD_MUTEX_NORMAL, Mutex::Type::Normal},
                                               {PTHREAD_MUTEX_RECURSIVE, Mutex::Type::Recursive},
                                               {PTHREAD_MUTEX_ERRORCHECK, Mutex::Type::ErrorCheck}};
  for (const auto& [kind, type] : kinds) {
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_t raw;
    pthread_mutex_init(&raw, &attributes);
    EXPECT_EQ(Mutex::of(&raw).type(), type);
    EXPECT_TRUE(Mutex::of(&raw).can_lock());
  }
}

TEST(Mutex, StateIsMemory) {
  pthread_mutex_t raw = PTHREAD_MUTEX_INITIALIZER, saved;
  std::memcpy(&saved, &raw, sizeof raw);
  Mutex::of(&raw).lock(kA);
  std::memcpy(&raw, &saved, sizeof raw);
  EXPECT_TRUE(Mutex::of(&raw).can_lock()) << "restoring memory restores the lock";
}

TEST(RwLock, ReadersShareWritersDoNot) {
  pthread_rwlock_t raw = PTHREAD_RWLOCK_INITIALIZER;
  RwLock& l = RwLock::of(&raw);
  EXPECT_TRUE(l.can_read() && l.can_write());
  l.readers = 1;
  EXPECT_TRUE(l.can_read());
  EXPECT_FALSE(l.can_write());
  l.readers = 0;
  l.writer = index_of(kA) + 1;
  EXPECT_FALSE(l.can_read() || l.can_write());
  EXPECT_TRUE(l.written_by(kA));
}

TEST(Semaphore, HasTheLayoutOfLibc) {
  sem_t raw;
  sem_init(&raw, 0, 3);
  EXPECT_EQ(Semaphore::of(&raw).value, 3u);
  Semaphore::of(&raw).value = 0;
  EXPECT_FALSE(Semaphore::of(&raw).can_take());
  int value = -1;
  sem_getvalue(&raw, &value);
  EXPECT_EQ(value, 0);
}

TEST(Barrier, TheLastArrivalCompletesTheRound) {
  Barrier b{0, 3, Barrier::kMagic};
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(b.arrive_completes());
    EXPECT_FALSE(b.arrive_completes());
    EXPECT_TRUE(b.arrive_completes());
  }
}

TEST(Once, OnlyARunningOneBlocks) {
  EXPECT_TRUE((Once{Once::kIdle}.can_enter()));
  EXPECT_FALSE((Once{Once::kRunning}.can_enter()));
  EXPECT_TRUE((Once{Once::kDone}.can_enter()));
  EXPECT_TRUE((Guard{0, 0}.can_enter()));
  EXPECT_FALSE((Guard{0, 1}.can_enter()));
  EXPECT_TRUE((Guard{1, 0}.can_enter()));
}

}  // namespace
}  // namespace lockstep::rt
