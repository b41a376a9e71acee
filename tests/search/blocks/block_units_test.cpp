// Locks that only one thread uses end no block (ExitBlock, section 5.2), also if a second thread uses them only in some
// orders; and threads that are not preempted after a number of operations.
#include <gtest/gtest.h>

#include <set>

#include "brute_force.hpp"
#include "search/blocks/block_search.hpp"
#include "trace_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using R = const Registers&;

struct Searched {
  uint64_t executions = 0, schedules = 0;
  bool complete = false;
  std::set<std::string> ends;
  Claim claim;
};

Searched run(const Program& p, const BlockSearchParts& parts) {
  BlockSearch search(parts);
  Searched r;
  FakeExecutor executor(p);
  while (auto plan = search.next()) {
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    if (trace.outcome() != Outcome::Redundant) r.ends.insert(end_of(p, trace));
    search.learn(trace);
    if (++r.executions > 100'000) break;
  }
  r.schedules = search.schedules();
  r.complete = search.complete();
  r.claim = search.claim();
  return r;
}

std::set<std::string> all_ends(const Program& p) {
  std::set<std::string> ends;
  FakeExecutor executor(p);
  const auto reference = dfs();
  while (auto plan = reference->next()) {
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    ends.insert(end_of(p, trace));
    reference->learn(trace);
  }
  return ends;
}

BlockSearchParts variant(bool conflicts, bool deadlocks) {
  BlockSearchParts parts;
  parts.conflicts = conflicts;
  parts.deadlocks = deadlocks;
  return parts;
}
const BlockSearchParts kVariants[] = {variant(false, false), variant(true, false), variant(false, true),
                                      variant(true, true)};

void section(Code& code, int l, Instruction body) { code.insert(code.end(), {lock(l), std::move(body), unlock(l)}); }

// Each thread has `own` sections under a lock of its own, then `common` ones under mutex 0.
Program with_private_locks(int threads, int own, int common) {
  Program p{.name = "private locks", .threads = {}};
  for (int t = 0; t < threads; ++t) {
    Code code;
    for (int i = 0; i < own; ++i) section(code, 1 + t, st(1 + t, i));
    for (int i = 0; i < common; ++i) section(code, 0, st(0, 10 * t + i));
    p.threads.push_back(code);
  }
  return p;
}

TEST(PrivateLocks, EndNoBlock) {
  for (const BlockSearchParts& parts : kVariants) {
    EXPECT_EQ(run(with_private_locks(2, 3, 1), parts).schedules, 2u);
    EXPECT_EQ(run(with_private_locks(2, 3, 1), parts).executions, 2u);
    EXPECT_EQ(run(with_private_locks(2, 2, 2), parts).schedules, 6u);
    EXPECT_EQ(run(with_private_locks(3, 2, 1), parts).schedules, 6u);
    BlockSearchParts ends = parts;
    ends.private_locks_end = true;
    EXPECT_GT(run(with_private_locks(2, 3, 1), ends).schedules, 2u);
  }
  BlockSearchParts ends;
  ends.private_locks_end = true;
  EXPECT_EQ(run(with_private_locks(2, 3, 1), ends).schedules, 70u);  // all orders of 4 blocks and 4 blocks
}

// Thread 1 uses mutex 1 inside of mutex 2, unless thread 0 was there before; so in the first execution it does not.
Program shared_later() {
  Code first, second;
  section(first, 1, st(1, 1));
  section(first, 1, ld(1, 1));
  section(first, 2, st(2, 1));
  second.insert(second.end(), {lock(2), ld(2, 2), jump([](R r) { return r[2] == 1 ? 6 : -1; })});
  section(second, 1, st(1, 2));
  second.push_back(unlock(2));
  return {.name = "shared later", .threads = {first, second}};
}

TEST(PrivateLocks, ASecondUserThatShowsLaterOpensTheOrdersAgain) {
  const std::set<std::string> all = all_ends(shared_later());
  for (BlockSearchParts parts : kVariants) {
    const Searched found = run(shared_later(), parts);
    EXPECT_EQ(found.ends, all);
    EXPECT_TRUE(found.complete);
    parts.never_start_over = true;
    EXPECT_LT(run(shared_later(), parts).ends.size(), all.size());
  }
}

// Whoever waits for a lock uses it, even if no execution gets any further: thread 0 holds mutex 1 and waits for the end
// of thread 1's section, which wants mutex 1.
TEST(PrivateLocks, WaitingForOneIsUsingIt) {
  const Program p{.name = "waits",
                  .threads = {{lock(1), lock(0), unlock(0), st(2, 1), lock(0), unlock(0), unlock(1)},
                              {lock(0), lock(1), unlock(1), unlock(0)}}};
  const Searched found = run(p, variant(false, true));
  EXPECT_EQ(found.ends, all_ends(p));
  EXPECT_TRUE(found.ends.contains("deadlock"));
}

// Sections under mutexes 0 to 3, some with another one inside; whether that is taken may depend on what was read, so
// that sharing often shows late. Always taken in the same order: nothing deadlocks.
Program late_sharing(uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  const auto below = [&](int n) {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return static_cast<int>((state * 0x2545f4914f6cdd1dull >> 33) % static_cast<uint64_t>(n));
  };
  const auto access = [&](int l) { return below(2) ? ld(l, l) : st(l, 1 + below(2)); };
  Program p{.name = "late sharing " + std::to_string(seed), .threads = {}};
  for (int t = 0; t < 2; ++t) {
    Code code;
    for (int i = 0; i < 3; ++i) {
      const int outer = below(4), inner = outer + 1 + below(4);
      if (inner > 3) {
        section(code, outer, access(outer));
        continue;
      }
      const auto reg = static_cast<size_t>(outer);
      const int value = below(3), after = static_cast<int>(code.size()) + 6;
      code.insert(code.end(), {lock(outer), access(outer), jump([=](R r) { return r[reg] == value ? after : -1; })});
      section(code, inner, access(inner));
      code.push_back(unlock(outer));
    }
    p.threads.push_back(code);
  }
  return p;
}

TEST(PrivateLocks, NoEndOfGeneratedProgramsIsLost) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Program p = late_sharing(seed);
    if (total(count_schedules(p)) > 800) continue;
    const std::set<std::string> all = all_ends(p);
    for (const BlockSearchParts& parts : kVariants) {
      const Searched found = run(p, parts);
      ASSERT_EQ(found.ends, all) << p.name;
      ASSERT_TRUE(found.complete) << p.name;
    }
  }
}

// A preemption at such an exit is worth no more than one at the beginning of the block.
TEST(PrivateLocks, BoundsStayExact) {
  for (uint64_t seed = 0; seed < 60; ++seed)
    for (const uint32_t bound : {0u, 1u, 2u}) {
      BlockSearchParts parts;
      parts.preemptions = bound;
      BlockSearchParts everywhere = parts;
      everywhere.private_locks_end = true;
      const Program p = late_sharing(seed);
      if (total(count_schedules(p)) > 800) continue;
      ASSERT_EQ(run(p, parts).ends, run(p, everywhere).ends) << p.name << ", " << bound;
    }
}

// --- endpoints ---

TEST(Endpoints, AThreadIsNotPreemptedAfterSoManyOperations) {
  const Program p = with_private_locks(2, 0, 3);  // nine operations each
  struct Row {
    uint32_t operations;
    uint64_t orders;
  };
  for (const Row& row : {Row{0, 2}, Row{3, 2}, Row{4, 6}, Row{6, 6}, Row{7, 20}, Row{100, 20}})
    for (BlockSearchParts parts : kVariants) {
      parts.operations = row.operations;
      const Searched found = run(p, parts);
      EXPECT_EQ(found.schedules, row.orders) << row.operations;
      EXPECT_EQ(found.claim.bounds.operations, row.operations);
      EXPECT_EQ(found.claim.scope, Scope::BlockOrders);
    }
}

}  // namespace
}  // namespace lockstep::fake
