// Reductions against depth-first search on small random programs over the whole API, run for real: the same traces, and
// each of them once where that is promised. A slice here; LOCKSTEP_SOAK=n looks at n programs (./dev soak), from
// number LOCKSTEP_SOAK_FROM on.
#include <cstdlib>

#include "reduced.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kMost = 6000;  // executions of a depth-first search; larger programs are left out

unsigned number(const char* variable, unsigned otherwise) {
  const char* value = std::getenv(variable);
  return value ? static_cast<unsigned>(std::strtoul(value, nullptr, 10)) : otherwise;
}
unsigned programs() { return number("LOCKSTEP_SOAK", 110); }

// False: too large, or it fails.
bool compare(unsigned program) {
  SCOPED_TRACE("program " + std::to_string(program));
  TargetOptions options = options_for("small-gcc-O1 " + std::to_string(program));
  options.max_steps = 2000;
  auto target = start(options);
  EXPECT_TRUE(target);
  if (!target) return false;
  const Explored all = explore(*target, "dfs", {}, kMost);
  if (!all.result.complete() || all.traces.failed) return false;
  const std::set<uint64_t> traces = all.traces.within(~0u);
  for (const char* strategy : {"dpor", "source-dpor", "optimal-dpor", "chess"}) {
    const Explored e = explore(*target, strategy);
    EXPECT_EQ(e.traces.within(~0u), traces) << strategy;
    EXPECT_TRUE(e.result.complete()) << strategy << ": " << int(e.result.ending);
    if (strategy == std::string("source-dpor") && e.result.claim.traces) {
      EXPECT_EQ(e.traces.executions, traces.size());
    }
    if (strategy == std::string("optimal-dpor") && e.result.claim.traces) {
      EXPECT_EQ(e.result.executions, traces.size());
    }
  }
  for (const uint32_t bound : {0u, 1u}) {
    EXPECT_EQ(explore(*target, "chess", bound).traces.within(~0u), all.traces.within(bound)) << "within " << bound;
    for (const char* strategy : {"source-dpor", "optimal-dpor"}) {  // by the cost of traces, and some more
      const Explored e = explore(*target, strategy, bound);
      const std::set<uint64_t> found = e.traces.within(~0u), wanted = all.traces.within(bound);
      EXPECT_TRUE(std::includes(found.begin(), found.end(), wanted.begin(), wanted.end())) << strategy << bound;
      EXPECT_GE(e.result.traces, wanted.size()) << strategy << " within " << bound;
      if (!all.traces.inexact) {
        EXPECT_EQ(e.result.traces, wanted.size()) << strategy << " within " << bound;
      }
    }
    const Explored bpor = explore(*target, "bpor", bound);
    EXPECT_TRUE(bpor.result.complete()) << int(bpor.result.ending);
    EXPECT_EQ(bpor.traces.within(~0u), all.traces.within(bound)) << "within " << bound;
  }
  return true;
}

class Reductions : public testing::TestWithParam<unsigned> {};
constexpr unsigned kChunks = 10;

TEST_P(Reductions, FindTheTracesOfDepthFirstSearch) {
  unsigned used = 0;
  const unsigned from = number("LOCKSTEP_SOAK_FROM", 0);
  for (unsigned program = from + GetParam(); program < from + programs(); program += kChunks) used += compare(program);
  EXPECT_GT(used, programs() / kChunks / 3);
}

// 853, 921: a livelock beside a compare-and-swap. 1657: input that another thread took, and more input and output after
// that. 2675: data choices, and an exit with threads under way. 2802: a semaphore that somebody was about to take when
// the process ended, and nobody took. 2868, 5497: a thread that sleeps twice before others have had their turn. 7256,
// 8290, 8334, 18993: input for which a thread waits after another one has taken it and before that one writes some.
// 5013: data choices after a lock that some order has to wait for too long.
TEST(LostOnce, IsFoundByAllReductions) {
  for (const unsigned program : {853u, 921u, 1657u, 2675u, 2802u, 2868u, 5013u, 5497u, 7256u, 8290u, 8334u, 18993u})
    EXPECT_TRUE(compare(program)) << program;
}

// Reductions do not see that a step lets a sleep or timed wait end; a reason says so (docs/decisions/0014-time.md).
TEST_P(Reductions, KeepTheOrderOfSleepsAndTimedWaits) {
  unsigned used = 0;
  const unsigned from = number("LOCKSTEP_SOAK_FROM", 0);
  for (unsigned program = from + GetParam(); program < from + programs(); program += kChunks) {
    SCOPED_TRACE("timed program " + std::to_string(program));
    TargetOptions options = options_for("small-gcc-O1 " + std::to_string(program) + " timed");
    options.max_steps = 2000;
    options.max_delay_ms = kDefaultMaxDelay;
    auto target = start(options);
    ASSERT_TRUE(target);
    const Explored all = explore(*target, "dfs", {}, kMost);
    if (!all.result.complete() || all.traces.failed) continue;
    ++used;
    for (const char* strategy : {"dpor", "source-dpor", "optimal-dpor", "chess"}) {
      const Explored e = explore(*target, strategy);
      EXPECT_EQ(e.traces.within(~0u), all.traces.within(~0u)) << strategy;
      // Of what a cache of states left out before it met a reason, nobody can say that it was the same.
      EXPECT_TRUE(e.result.complete() || strategy == std::string("chess")) << strategy << ": " << int(e.result.ending);
    }
  }
  EXPECT_GT(used, programs() / kChunks / 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Reductions, testing::Range(0u, kChunks));

}  // namespace
}  // namespace lockstep
