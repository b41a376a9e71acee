// Misuses of locks and similar objects. After a misuse the program goes on as it would without Lockstep, or the
// execution ends if that behaviour is unknown.
#pragma once
#include <cstdint>

namespace lockstep {

enum class Misuse : uint8_t {
  None,
  MutexUnlockedByAnother,
  MutexUnlockedUnheld,
  MutexDestroyedLocked,
  MutexDestroyedTwice,
  MutexUsedDestroyed,
  MutexFreedLocked,
  SpinUnlockedByAnother,
  SpinUnlockedUnheld,
  SpinDestroyedLocked,
  SpinUsedDestroyed,
  RwLockUnlockedUnheld,
  RwLockDestroyedLocked,
  RwLockUsedDestroyed,
  ConditionWithoutMutex,
  ConditionWithTwoMutexes,
  ConditionDestroyedAwaited,
  ConditionUsedDestroyed,
  SemaphoreDestroyedAwaited,
  SemaphoreUsedDestroyed,
  BarrierDestroyedAwaited,
  BarrierUsedDestroyed,
  FreedAwaited,
  SpinsUnyielding,  // misuses the processor; only if Channel::check_yields, told as a livelock
  kCount
};

// "a mutex is unlocked that is not locked"
constexpr const char* text_of(Misuse misuse) {
  constexpr const char* kTexts[] = {
      "",
      "a mutex is unlocked by a thread that does not hold it",
      "a mutex is unlocked that is not locked",
      "a mutex is destroyed while it is locked",
      "a mutex is destroyed twice",
      "a destroyed mutex is used",
      "a mutex is freed while it is locked",
      "a spin lock is unlocked by a thread that does not hold it",
      "a spin lock is unlocked that is not locked",
      "a spin lock is destroyed while it is locked",
      "a destroyed spin lock is used",
      "a readers-writer lock is unlocked by a thread that does not hold it",
      "a readers-writer lock is destroyed while it is locked",
      "a destroyed readers-writer lock is used",
      "a thread waits on a condition variable with a mutex that it does not hold",
      "threads wait on a condition variable with different mutexes",
      "a condition variable is destroyed while a thread waits on it",
      "a destroyed condition variable is used",
      "a semaphore is destroyed while a thread waits on it",
      "a destroyed semaphore is used",
      "a barrier is destroyed while a thread waits at it",
      "a destroyed barrier is used",
      "memory is freed while a thread waits on an object in it",
      "a thread spins without ever yielding",
  };
  static_assert(sizeof kTexts / sizeof *kTexts == static_cast<unsigned>(Misuse::kCount), "one text per misuse");
  return misuse < Misuse::kCount ? kTexts[static_cast<unsigned>(misuse)] : "?";
}

}  // namespace lockstep
