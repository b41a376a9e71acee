// Locks that two threads take in opposite orders, also among many others.
#include "analysis/lock_order.hpp"

#include <gtest/gtest.h>

#include "fake_trace.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kFirst = 0x1000;

// Thread `thread` takes `outer`, then in it each of `count` locks from `inner` on.
void nest(FakeTrace& t, unsigned thread, uint64_t outer, uint64_t inner, unsigned count) {
  const auto step = [&](OpKind kind, uint64_t lock) { t.step(thread, kind, lock, 0b110, {}, {{}, Step::kWrite}); };
  step(OpKind::Lock, outer);
  for (unsigned i = 0; i < count; ++i) {
    step(OpKind::Lock, inner + 8ull * i);
    step(OpKind::Unlock, inner + 8ull * i);
  }
  step(OpKind::Unlock, outer);
}

// A cycle among tens of thousands of nestings: comparing each with each would take minutes.
TEST(LockOrder, IsFoundAmongManyLocks) {
  constexpr unsigned kMany = 30'000;
  FakeTrace t;
  t.note(0, OpKind::Create, 1, {}).note(0, OpKind::Create, 2, {});
  nest(t, 1, kFirst, kFirst + 8, kMany);
  nest(t, 2, kFirst + 8, kFirst + 16, kMany);
  const Trace one_way = t.end(Outcome::Ok, 1, {});
  LockOrderAnalysis analysis;
  EXPECT_FALSE(analysis.check(one_way));
  nest(t, 2, kFirst + 8ull * kMany, kFirst, 1);
  const Trace both_ways = t.end(Outcome::Ok, 1, {});
  LockOrderAnalysis again;
  const auto found = again.check(both_ways);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FindingKind::LockOrder);
  EXPECT_EQ(found->lock_cycle.size(), 2u);
}

}  // namespace
}  // namespace lockstep
