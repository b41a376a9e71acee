// Is what the model calls independent really so? Checked mechanically: in states reached by random programs, every two
// operations that are declared independent must commute and must not enable or disable each other. A wrong
// independence silently loses executions in every reduction built on it.
#include <gtest/gtest.h>

#include <set>

#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using Dependent = bool (*)(const Operation&, const Operation&);
using KindPair = std::pair<OpKind, OpKind>;

struct Verdicts {
  std::set<KindPair> compared;           // kinds of which both orders were run
  std::set<KindPair> found_independent;  // at least once declared independent
  std::vector<std::string> violations;

  void violated(const Program& p, const Operation& a, const Operation& b, const char* what) {
    violations.push_back(p.name + ": " + name_of(a.kind) + " and " + name_of(b.kind) + " are independent, but " + what);
  }
};

// State after t with every data alternative fixed to the `choice`-th, and what it did.
struct After {
  Machine state;
  Operation operation;
};
After after(const Machine& before, unsigned t, unsigned choice) {
  After a{before, {}};
  a.operation = a.state.step(t, choice).operation();
  return a;
}

void compare(const Program& p, const Machine& s, unsigned t, unsigned u, Dependent dependent, Verdicts& verdicts) {
  for (unsigned i = 0; i < s.choices(t); ++i) {
    const After first = after(s, t, i);
    if (first.state.culprit() != kNoThread) continue;
    if (!s.enabled(u)) {  // what t enables depends on t
      if (!first.state.enabled(u)) continue;
      const Operation woken = after(first.state, u, 0).operation;
      verdicts.compared.insert({first.operation.kind, woken.kind});
      if (!dependent(first.operation, woken))
        verdicts.violated(p, first.operation, woken, "the first enables the second");
      continue;
    }
    for (unsigned j = 0; j < s.choices(u); ++j) {
      const After second = after(s, u, j);
      verdicts.compared.insert({first.operation.kind, second.operation.kind});
      if (dependent(first.operation, second.operation)) continue;
      verdicts.found_independent.insert({first.operation.kind, second.operation.kind});
      if (!first.state.enabled(u) || !second.state.enabled(t)) {
        verdicts.violated(p, first.operation, second.operation, "one disables the other");
      } else if (first.state.choices(u) != s.choices(u) || second.state.choices(t) != s.choices(t)) {
        verdicts.violated(p, first.operation, second.operation, "change each other's alternatives");
      } else if (after(first.state, u, j).state.key() != after(second.state, t, i).state.key()) {
        verdicts.violated(p, first.operation, second.operation, "do not commute");
      }
    }
  }
}

// All states of a program within reach, each once.
void visit(const Program& p, const Machine& s, Dependent dependent, std::set<std::vector<Value>>& seen,
           Verdicts& verdicts) {
  if (!seen.insert(s.key()).second || seen.size() > 3000) return;
  for (unsigned t = 0; t < s.threads(); ++t) {
    if (!s.enabled(t)) continue;
    for (unsigned u = 0; u < s.threads(); ++u)
      // Who has arrived at a barrier leaves it as part of the last arrival, and does what comes next afterwards.
      if (u != t && !s.done(u) && s.pending(u).kind != OpKind::BarrierLeave) compare(p, s, t, u, dependent, verdicts);
    for (unsigned i = 0; i < s.choices(t); ++i) visit(p, after(s, t, i).state, dependent, seen, verdicts);
  }
}

// Every pair of kinds that can meet, on one object and on two: a thread each, in every context that makes them
// possible.
std::vector<Code> contexts() {
  return {{ld(0, 0)},
          {st(0, 7)},
          {rmw(
              0, [](Value v, const Registers&) { return v + 1; }, 0)},
          {cas(0, 0, 5, 0)},
          {cas(0, 1, 6, 0)},
          {ld(1, 0)},
          {st(1, 7)},
          {lock(0), unlock(0)},
          {lock(1), unlock(1)},
          {trylock(0, 5), jump([](const Registers& r) -> Value { return r[5] ? -1 : 3; }), unlock(0)},
          {lock(0), cond_wait(0, 0), unlock(0)},
          {lock(1), cond_wait(0, 1), unlock(1)},
          {signal(0)},
          {broadcast(0)},
          {lock(0), signal(0), unlock(0)},
          {signal(1)},
          {sem_wait(0)},
          {sem_trywait(0, 0)},
          {sem_post(0)},
          {sem_wait(1)},
          {sem_post(1)},
          {read_lock(0), read_unlock(0)},
          {write_lock(0), write_unlock(0)},
          {try_read_lock(0, 5), jump([](const Registers& r) -> Value { return r[5] ? -1 : 3; }), read_unlock(0)},
          {try_write_lock(0, 5), jump([](const Registers& r) -> Value { return r[5] ? -1 : 3; }), write_unlock(0)},
          {once_enter(0, 5), jump([](const Registers& r) -> Value { return r[5] ? -1 : 3; }), once_exit(0)},
          {write_lock(1), write_unlock(1)},
          {once_enter(1, 5), jump([](const Registers& r) -> Value { return r[5] ? -1 : 3; }), once_exit(1)},
          {look_at_semaphore(0, 0)},
          {look_at_once(0, 0)},
          {barrier(0, 2, 0), st(1, 9)},
          {yield()},
          {choice(2, 0), st(0, [](const Registers& r) { return r[0]; })}};
}

Verdicts compare_all(Dependent dependent) {
  Verdicts verdicts;
  const auto codes = contexts();
  for (size_t a = 0; a < codes.size(); ++a)
    for (size_t b = a; b < codes.size(); ++b)
      for (size_t c = b; c < codes.size(); ++c) {
        const Program p{.name = "contexts " + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c),
                        .threads = {codes[a], codes[b], codes[c]},
                        .semaphores = {{0, 1}}};
        std::set<std::vector<Value>> seen;
        visit(p, Machine(p), dependent, seen, verdicts);
      }
  for (uint64_t seed = 0; seed < 140; ++seed) {
    const Program p = random_program(seed);
    std::set<std::vector<Value>> seen;
    visit(p, Machine(p), dependent, seen, verdicts);
  }
  return verdicts;
}

constexpr OpKind kAll[] = {
    OpKind::Load,         OpKind::Store,         OpKind::Rmw,         OpKind::Cas,           OpKind::Fence,
    OpKind::Lock,         OpKind::TryLock,       OpKind::Unlock,      OpKind::CondWait,      OpKind::Reacquire,
    OpKind::CondSignal,   OpKind::CondBroadcast, OpKind::ReadLock,    OpKind::WriteLock,     OpKind::TryReadLock,
    OpKind::TryWriteLock, OpKind::ReadUnlock,    OpKind::WriteUnlock, OpKind::SemWait,       OpKind::SemTryWait,
    OpKind::SemPost,      OpKind::OnceEnter,     OpKind::OnceExit,    OpKind::BarrierArrive, OpKind::Yield};

TEST(Dependence, IndependentOperationsOfAllKindsCommute) {
  const Verdicts verdicts = compare_all(dependent);
  EXPECT_EQ(verdicts.violations.size(), 0u) << verdicts.violations.at(0);
  for (const OpKind a : kAll)
    for (const OpKind b : kAll)
      EXPECT_TRUE(verdicts.compared.contains({a, b}) || verdicts.compared.contains({b, a}))
          << "never met: " << name_of(a) << " and " << name_of(b);
}

TEST(Dependence, ReadsAndDifferentObjectsAreIndependent) {
  const Verdicts verdicts = compare_all(dependent);
  const auto independent = [&](OpKind a, OpKind b) { return verdicts.found_independent.contains({a, b}); };
  EXPECT_TRUE(independent(OpKind::Load, OpKind::Load));
  EXPECT_TRUE(independent(OpKind::Store, OpKind::Store));  // to different variables
  EXPECT_TRUE(independent(OpKind::Cas, OpKind::Cas));      // both fail
  EXPECT_TRUE(independent(OpKind::ReadLock, OpKind::ReadLock));
  EXPECT_TRUE(independent(OpKind::ReadUnlock, OpKind::ReadUnlock));
  EXPECT_TRUE(independent(OpKind::Yield, OpKind::Store));
}

// Wrong tables, to show that the comparison would notice them.
bool without_tokens(const Operation& a, const Operation& b) {
  const auto is_token = [](const Access& x) { return static_cast<uint64_t>(x.object) >> 48 >= 0xfffe; };
  for (const Access& x : accesses(a))
    for (const Access& y : accesses(b))
      if (!is_token(x) && x.object == y.object && (x.write || y.write)) return true;
  return false;
}
bool failed_try_write_lock_reads(const Operation& a, const Operation& b) {
  const auto as_read = [](const Operation& op) { return op.kind == OpKind::TryWriteLock && !op.writes; };
  const auto reads = [](const Operation& op) { return op.kind == OpKind::ReadLock || op.kind == OpKind::ReadUnlock; };
  if ((as_read(a) && reads(b)) || (as_read(b) && reads(a))) return false;
  return dependent(a, b);
}
bool unlock_reads(const Operation& a, const Operation& b) {
  if ((a.kind == OpKind::Unlock && b.kind == OpKind::TryLock) ||
      (b.kind == OpKind::Unlock && a.kind == OpKind::TryLock))
    return false;
  return dependent(a, b);
}

TEST(Dependence, AWrongTableIsNoticed) {
  EXPECT_GT(compare_all(without_tokens).violations.size(), 0u);
  EXPECT_GT(compare_all(failed_try_write_lock_reads).violations.size(), 0u);
  EXPECT_GT(compare_all(unlock_reads).violations.size(), 0u);
}

// Kinds the machine has no program for; what they must conflict with follows from their meaning.
Operation op(unsigned t, OpKind kind, uint64_t object = 0x10, bool writes = false) {
  return {ThreadId(t), kind, writes, ObjectId{object}};
}

TEST(Dependence, ProcessExitConflictsWithEverythingOfOthers) {
  for (unsigned k = 0; k < static_cast<unsigned>(OpKind::kCount); ++k)
    EXPECT_TRUE(dependent(op(0, OpKind::ProcessExit), op(1, static_cast<OpKind>(k))));
}

TEST(Dependence, DestroyingConflictsWithEverythingElseOnTheObject) {
  for (const OpKind kind : kAll) {
    if (kind == OpKind::Fence || kind == OpKind::Yield) continue;  // on no object
    EXPECT_TRUE(dependent(op(1, OpKind::Destroy), op(2, kind))) << name_of(kind);
    EXPECT_FALSE(dependent(op(1, OpKind::Destroy, 0x20), op(2, kind))) << name_of(kind);
  }
}

TEST(Dependence, BarriersFutexesAndPlainAccesses) {
  EXPECT_TRUE(dependent(op(1, OpKind::BarrierArrive), op(2, OpKind::BarrierLeave)));
  EXPECT_FALSE(dependent(op(1, OpKind::BarrierLeave), op(2, OpKind::BarrierLeave)));
  EXPECT_TRUE(dependent(op(1, OpKind::FutexWait), op(2, OpKind::FutexWake)));
  EXPECT_TRUE(dependent(op(1, OpKind::FutexBlocked), op(2, OpKind::FutexWake)));
  EXPECT_TRUE(dependent(op(1, OpKind::FutexWait), op(2, OpKind::Store)));  // it reads the value
  EXPECT_TRUE(dependent(op(1, OpKind::PlainWrite), op(2, OpKind::PlainRead)));
  EXPECT_FALSE(dependent(op(1, OpKind::PlainRead), op(2, OpKind::PlainRead)));
  EXPECT_TRUE(dependent(op(1, OpKind::PlainWrite), op(2, OpKind::Load)));
}

TEST(Dependence, ATimeoutSeesWhoHoldsTheLock) {
  Operation timed = op(1, OpKind::Lock);
  timed.timed_out = true;
  EXPECT_TRUE(dependent(timed, op(2, OpKind::Unlock)));
  EXPECT_FALSE(dependent(timed, op(2, OpKind::TryLock)));  // both failed
  Operation wait{ThreadId{1}, OpKind::Reacquire, false, ObjectId{0x20}, Companion::condition(ObjectId{0x30}), true};
  EXPECT_TRUE(dependent(wait, op(2, OpKind::CondSignal, 0x30)));  // a waiter less
  wait.timed_out = false;
  EXPECT_FALSE(dependent(wait, op(2, OpKind::CondSignal, 0x30)));
}

TEST(Dependence, IsSymmetricAndEachThreadDependsOnItself) {
  for (const OpKind a : kAll)
    for (const OpKind b : kAll)
      for (const bool writes : {false, true}) {
        EXPECT_EQ(dependent(op(1, a, 0x10, writes), op(2, b)), dependent(op(2, b), op(1, a, 0x10, writes)));
        EXPECT_TRUE(dependent(op(1, a), op(1, b, 0x20)));
      }
}

}  // namespace
}  // namespace lockstep::fake
