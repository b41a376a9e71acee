// What ExitBlock's searches claim against depth-first search: a complete claim is true for every program, whatever
// operations it is made of, and deadlocks of mutexes and readers-writer locks are found in any mix.
#include <gtest/gtest.h>

#include <set>

#include "brute_force.hpp"
#include "search/blocks/block_search.hpp"
#include "trace_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using R = const Registers&;

BlockSearchParts variant(bool conflicts, bool deadlocks) {
  BlockSearchParts parts;
  parts.conflicts = conflicts;
  parts.deadlocks = deadlocks;
  return parts;
}
const BlockSearchParts kVariants[] = {variant(false, false), variant(true, false), variant(false, true),
                                      variant(true, true)};

// How the executions end, with their final states.
std::set<std::string> ends(const Program& p, Search& strategy, uint64_t most = 200'000) {
  std::set<std::string> all;
  FakeExecutor executor(p);
  for (uint64_t n = 0; n < most; ++n) {
    auto plan = strategy.next();
    if (!plan) return all;
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    if (trace.outcome() != Outcome::Redundant) all.insert(end_of(p, trace));
    strategy.learn(trace);
  }
  ADD_FAILURE() << p.name << " does not end";
  return all;
}

struct Claimed {
  int programs = 0, complete = 0, false_claims = 0, with_deadlock = 0, missed = 0, invented = 0, unmet = 0;
};

// All variants on all programs that are small enough.
template <class Make>
Claimed claims(Make&& make, uint64_t seeds, bool all_locked, const std::vector<BlockSearchParts>& variants) {
  Claimed c;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Program p = make(seed);
    if (total(count_schedules(p)) > 3000) continue;
    ++c.programs;
    const auto reference = dfs();
    const std::set<std::string> all = ends(p, *reference);
    c.with_deadlock += all.contains("deadlock");
    for (const BlockSearchParts& parts : variants) {
      BlockSearch search(parts);
      const std::set<std::string> seen = ends(p, search);
      c.complete += search.complete();
      if (search.complete() && seen != all) {
        ++c.false_claims;
        ADD_FAILURE() << p.name << (parts.conflicts ? " rw" : "") << (parts.deadlocks ? " dd" : "");
      }
      if (!all_locked || !parts.deadlocks) continue;
      c.unmet += !search.unmet().empty();
      c.missed += all.contains("deadlock") && !seen.contains("deadlock");
      c.invented += !all.contains("deadlock") && seen.contains("deadlock");
    }
  }
  return c;
}
std::vector<BlockSearchParts> all_variants() { return {std::begin(kVariants), std::end(kVariants)}; }

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  int below(int n) {
    state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
    return static_cast<int>((state_ * 0x2545f4914f6cdd1dull >> 33) % static_cast<uint64_t>(n));
  }
  bool percent(int p) { return below(100) < p; }

 private:
  uint64_t state_;
};

// Sections of one or two locks, mutexes (0, 1) and readers-writer locks (2, 3) held for reading or writing, released in
// any order. Each lock protects a variable; whether the second lock is taken may depend on the first one's.
Program locks_of_all_kinds(uint64_t seed) {
  Dice dice(seed);
  Program p{.name = "locks " + std::to_string(seed), .threads = {}};
  const int threads = 2 + dice.below(2);
  for (int t = 0; t < threads; ++t) {
    Code code;
    const auto take = [](int l, bool write) { return l < 2 ? lock(l) : write ? write_lock(l - 2) : read_lock(l - 2); };
    const auto leave = [](int l, bool write) {
      return l < 2 ? unlock(l) : write ? write_unlock(l - 2) : read_unlock(l - 2);
    };
    for (int sections = 1 + dice.below(threads == 2 ? 3 : 2); sections > 0; --sections) {
      const int outer = dice.below(4), inner = (outer + 1 + dice.below(3)) % 4;
      const bool writes = dice.percent(60), inner_writes = dice.percent(60);
      const auto access = [&](int l, bool write) {
        return l >= 2 && !write ? ld(l, l) : dice.percent(60) ? st(l, 10 * t + sections) : ld(l, l);
      };
      code.push_back(take(outer, writes));
      if (dice.percent(70)) code.push_back(access(outer, writes));
      if (dice.percent(70)) {
        const size_t reg = static_cast<size_t>(outer);
        const int last_value = 10 * dice.below(threads) + 1;
        const bool crossed = dice.percent(40), accesses = dice.percent(50);
        const int length = 2 + accesses;
        if (!crossed && dice.percent(40)) {
          const int target = static_cast<int>(code.size()) + 1 + length;
          code.push_back(jump([=](R r) { return r[reg] == last_value ? target : -1; }));
        }
        code.push_back(take(inner, inner_writes));
        if (accesses) code.push_back(access(inner, inner_writes));
        if (crossed) code.push_back(leave(outer, writes));
        code.push_back(leave(inner, inner_writes));
        if (crossed) continue;
      }
      code.push_back(leave(outer, writes));
    }
    p.threads.push_back(code);
  }
  return p;
}

TEST(BlockCriteria, LocksOfAllKindsAreCoveredAndTheirDeadlocksFound) {
  const Claimed c = claims(locks_of_all_kinds, 800, true, all_variants());
  EXPECT_GT(c.programs, 150);
  EXPECT_GT(c.with_deadlock, 30);
  EXPECT_LT(c.with_deadlock, c.programs - 40);
  EXPECT_EQ(c.unmet, 0);
  EXPECT_EQ(c.missed, 0);
  EXPECT_EQ(c.invented, 0);
  EXPECT_GT(c.complete, 3 * c.programs);
}

TEST(BlockCriteria, CompleteClaimsAboutConditionsAreTrue) {
  for (const bool nested : {false, true}) {
    const Claimed c =
        claims([&](uint64_t seed) { return disciplined_program(seed, nested, true); }, 200, true, all_variants());
    EXPECT_GT(c.complete, c.programs);
    EXPECT_EQ(c.missed, 0);
    EXPECT_EQ(c.invented, 0);
  }
}

TEST(BlockCriteria, CompleteClaimsAboutAnyProgramAreTrue) {
  const Claimed c = claims(random_program, 400, false, all_variants());
  EXPECT_GT(c.programs, 150);
  EXPECT_GT(c.complete, 20);
}

// --- what is named ---

std::set<std::string> unmet(const Program& p, BlockSearchParts parts = kVariants[0]) {
  BlockSearch search(parts);
  ends(p, search);
  EXPECT_EQ(search.complete(), search.unmet().empty()) << p.name;
  std::set<std::string> names;
  for (const Criterion& c : search.unmet()) names.insert(criterion_text(c));
  return names;
}
using Names = std::set<std::string>;

TEST(BlockCriteria, NamesWhatIsNotCovered) {
  EXPECT_EQ(unmet({.name = "", .threads = {{ld(0, 0), st(0, 1)}, {ld(0, 0), st(0, 2)}}}),
            Names{"atomics shared without a common lock"});
  EXPECT_EQ(unmet({.name = "", .threads = {{lock(0), unlock(0)}, {trylock(0, 0)}}}), Names{"try-lock"});
  EXPECT_EQ(unmet({.name = "", .threads = {{write_lock(0), write_unlock(0)}, {try_read_lock(0, 0)}}}),
            Names{"try-read-lock"});
  EXPECT_EQ(unmet({.name = "", .threads = {{sem_post(0)}, {sem_wait(0)}}}), (Names{"sem-post", "sem-wait"}));
  EXPECT_EQ(unmet(abba()), Names{"lock deadlocks (use exitblock-dd)"});
  EXPECT_EQ(unmet(abba(), kVariants[2]), Names{});
  EXPECT_EQ(unmet({.name = "", .threads = {{lock(0), cond_wait(0, 0), unlock(0)}, {lock(1), signal(0), unlock(1)}}}),
            Names{"notifications without the lock of the waiters"});
}

TEST(BlockCriteria, WhatLocksProtectIsCovered) {
  EXPECT_EQ(unmet({.name = "", .threads = {{lock(0), st(0, 1), unlock(0)}, {lock(0), ld(0, 0), st(0, 2), unlock(0)}}}),
            Names{});
  EXPECT_EQ(unmet({.name = "", .threads = {{st(0, 1), ld(0, 0)}, {st(1, 1), ld(2, 0)}, {ld(2, 0)}}}),
            Names{});  // not shared
  EXPECT_EQ(unmet({.name = "",
                   .threads = {{write_lock(0), st(0, 1), write_unlock(0)}, {read_lock(0), ld(0, 0), read_unlock(0)}}}),
            Names{});
  EXPECT_EQ(unmet({.name = "",
                   .threads = {{read_lock(0), st(0, 1), read_unlock(0)}, {read_lock(0), ld(0, 0), read_unlock(0)}}}),
            Names{"atomics shared without a common lock"});
  EXPECT_EQ(unmet({.name = "", .threads = {{once_enter(0, 0), once_exit(0)}, {barrier(0, 1, 0)}}}), Names{});
}

// The notification comes before the wait, what the waiter looks at after it.
TEST(BlockCriteria, ANotificationOutsideOfLocksEndsItsBlock) {
  const Program early{
      .name = "early",
      .threads = {{lock(0), ld(0, 0), jump([](R r) { return r[0] ? 4 : -1; }), cond_wait(0, 0), unlock(0)},
                  {signal(0), lock(0), st(0, 1), unlock(0)}}};
  for (const BlockSearchParts& parts : kVariants) {
    BlockSearch search(parts);
    EXPECT_TRUE(ends(early, search).contains("deadlock"));
    EXPECT_TRUE(search.complete());
  }
}

// The first thread cannot finish its block while the second holds lock 1; the third lets it go another way, which it
// has to be able to take before the second goes on.
TEST(BlockCriteria, AThreadThatWaitsMayGoAnotherWayLater) {
  const Program p{
      .name = "another way",
      .threads = {{lock(0), ld(0, 0), jump([](R r) { return r[0] ? 5 : -1; }), lock(1), unlock(1), unlock(0)},
                  {lock(1), lock(2), st(2, 1), unlock(2), lock(0), st(0, 7), unlock(0), unlock(1)},
                  {lock(2), ld(2, 1), unlock(2), lock(0), st(0, [](R r) { return 1 + r[1]; }), unlock(0)}}};
  const auto reference = dfs();
  const std::set<std::string> all = ends(p, *reference);
  for (const BlockSearchParts& parts : kVariants) {
    BlockSearch search(parts);
    std::set<std::string> seen = ends(p, search);
    if (!parts.deadlocks) seen.insert("deadlock");
    EXPECT_EQ(seen, all);
  }
}

// Locks that are not released in reverse order: no lock exit shows the nesting.
TEST(BlockCriteria, FindsDeadlocksOfLocksReleasedInTheOrderOfTaking) {
  const Program p{.name = "crossed",
                  .threads = {{lock(0), lock(1), unlock(0), unlock(1)}, {lock(1), lock(0), unlock(1), unlock(0)}}};
  for (const bool conflicts : {false, true}) {
    BlockSearch search(variant(conflicts, true));
    EXPECT_TRUE(ends(p, search).contains("deadlock"));
  }
}

}  // namespace
}  // namespace lockstep::fake
