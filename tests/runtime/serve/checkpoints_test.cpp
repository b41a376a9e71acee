// An execution that starts from a checkpoint is, byte by byte, the one that starts from the beginning.
#include <cstring>
#include <optional>

#include "programs.hpp"
#include "search/blocks/block_search.hpp"
#include "search/strategies/bounded.hpp"

namespace lockstep {
namespace {

constexpr size_t kExecutions = 120, kBatch = 24;

bool equal_bytes(TraceView a, TraceView b) {
  return a.header().bytes == b.header().bytes && std::memcmp(&a.header(), &b.header(), a.header().bytes) == 0;
}

struct Explored {
  std::vector<Plan> plans;
  std::vector<Trace> traces;
};

using MakeSearch = std::unique_ptr<Search> (*)();
std::unique_ptr<Search> depth_first() { return make_dfs(BoundedOptions{}); }
template <bool conflicts>
std::unique_ptr<Search> atomic_blocks() {
  BlockSearchParts parts;
  parts.conflicts = conflicts;
  return std::make_unique<BlockSearch>(parts);
}

// The first executions of a search, each run from the beginning.
Explored explore(Target& target, MakeSearch make = depth_first) {
  Explored all;
  const std::unique_ptr<Search> search = make();
  while (all.plans.size() < kExecutions) {
    std::optional<Plan> plan = search->next();
    if (!plan) break;
    plan->id = all.plans.size() + 1;
    all.traces.push_back(run(target, *plan));
    all.plans.push_back(std::move(*plan));
    if (all.traces.back().empty()) break;
    search->learn(all.traces.back());
  }
  return all;
}

// `batch` plans under way at a time: what the runtime knows of the plans to come decides where it saves.
void expect_same(Target& target, const Explored& expected, size_t batch, const char* how) {
  for (size_t begin = 0; begin < expected.plans.size(); begin += batch) {
    const size_t end = std::min(begin + batch, expected.plans.size());
    for (size_t i = begin; i < end; ++i) target.submit(expected.plans[i]);
    for (size_t i = begin; i < end; ++i) {
      const auto trace = target.next(nullptr);
      ASSERT_TRUE(trace);
      ASSERT_TRUE(same(*trace, expected.traces[i])) << how << ", plan " << i << ": " << trace->message();
      ASSERT_TRUE(equal_bytes(*trace, expected.traces[i])) << how << ", plan " << i;
    }
  }
}

struct Compared {
  uint64_t resumed = 0;
  std::vector<std::string> warnings;
};

Compared compare(const std::string& program, Points points, MakeSearch make = depth_first) {
  TargetOptions options = options_for(program);
  options.isolation = Isolation::Reset;
  options.points = points;
  options.checkpoints = CheckpointUse::Off;
  auto plain = start(options);
  if (!plain) return {};
  const Explored expected = explore(*plain, make);
  EXPECT_EQ(plain->resumed(), 0u);
  options.checkpoints = CheckpointUse::Always;
  auto saving = start(options);
  if (!saving) return {};
  expect_same(*saving, expected, kBatch, "many under way");
  expect_same(*saving, expected, 1, "one at a time");
  return {saving->resumed(), saving->warnings()};
}

class Checkpoints : public testing::TestWithParam<const char*> {};

// With every plain access a scheduling point, too: then there are checkpoints in between.
TEST_P(Checkpoints, GiveTheSameTraces) {
  uint64_t resumed = 0;
  for (const Points points : {Points::Auto, Points::All}) {
    const Compared result = compare(GetParam(), points);
    resumed += result.resumed;
    for (const std::string& warning : result.warnings)
      EXPECT_EQ(warning.find("checkpoint"), std::string::npos) << warning;
  }
  EXPECT_GT(resumed, 0u) << "nothing was started from a checkpoint";
}

std::string name_of_program(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Heap, exceptions in flight, thread-local variables, races, spin loops, timeouts, signals, timers, input.
INSTANTIATE_TEST_SUITE_P(Programs, Checkpoints,
                         testing::Values("checkpoints-gcc-O2 deep 40", "counts-gcc-O2 faa 3 4",
                                         "counts-gcc-O2 philosophers 3", "counts-gcc-O2 condvar_signal 2",
                                         "counts-gcc-O2 detached", "counts-plain semaphore 3",
                                         "example:bounded_buffer_if", "example:work_stealing_queue",
                                         "example:correct_queue", "example:lost_update",
                                         "language-gcc-O2 exceptions_across_switches", "language-gcc-O2 thread_locals",
                                         "language-gcc-O2 futures", "primitives-plain rwlock",
                                         "races_sync-gcc-O2 condvar_outside", "races_sync-gcc-O2 latch_late",
                                         "conformance-gcc cancel_asynchronous", "conformance-gcc cond_robust_mutex",
                                         "conformance-gcc keys_thread_local", "conformance-gcc once_throws",
                                         "conformance-gcc signal_ends_waits", "conformance-gcc signal_to_thread",
                                         "conformance-gcc thread_timedjoin", "conformance-gcc timer_repeats",
                                         "conformance-plain barrier_rounds", "conformance-plain fail_cond_destroy"),
                         name_of_program);

// Atomic blocks: what a plan stops follows its checkpoint, and what blocks have touched is part of it.
TEST(CheckpointsOfBlocks, GiveTheSameTraces) {
  for (const MakeSearch make : {atomic_blocks<false>, atomic_blocks<true>}) {
    uint64_t resumed = 0;
    for (const char* program :
         {"blocks-gcc-O2 shared 3 3", "blocks-gcc-O2 private 3 3", "blocks-gcc-O2 regions 3 6", "blocks-gcc-O2 figure2",
          "blocks-gcc-O2 figure8", "blocks-gcc-O2 if", "counts-gcc-O2 philosophers 3", "counts-gcc-O2 condvar_signal 2",
          "example:bounded_buffer_if", "checkpoints-gcc-O2 deep 40"}) {
      SCOPED_TRACE(program);
      const Compared result = compare(program, Points::Auto, make);
      resumed += result.resumed;
      for (const std::string& warning : result.warnings)
        EXPECT_EQ(warning.find("checkpoint"), std::string::npos) << warning;
    }
    EXPECT_GT(resumed, 100u) << "hardly anything was started from a checkpoint";
  }
}

// What lies outside memory and is not known to be undone: the first execution from a checkpoint gives it away, and is
// not told.
TEST(CheckpointsOff, WhenAnExecutionFromOneDiffers) {
  TargetOptions options = options_for("checkpoints-gcc-O2 outside");
  options.isolation = Isolation::Reset;
  options.checkpoints = CheckpointUse::Off;
  auto plain = start(options);
  ASSERT_TRUE(plain);
  const Explored expected = explore(*plain);
  options.checkpoints = CheckpointUse::Always;
  auto saving = start(options);
  ASSERT_TRUE(saving);
  expect_same(*saving, expected, kBatch, "many under way");
  EXPECT_EQ(saving->resumed(), 1u);
  EXPECT_TRUE(saving->checkpoints_failed());
  EXPECT_FALSE(saving->checkpoints_failed()) << "told once";
  ASSERT_EQ(saving->warnings().size(), 1u);
  EXPECT_NE(saving->warnings()[0].find("checkpoint"), std::string::npos);
  expect_same(*saving, expected, kBatch, "afterwards");
  EXPECT_EQ(saving->resumed(), 1u);
}

TEST(CheckpointsOff, WhereAThreadIsOneOfTheSystemOrAnExecutionAProcess) {
  for (const Isolation isolation : {Isolation::Reset, Isolation::Fork, Isolation::Loop}) {
    TargetOptions options = options_for("checkpoints-gcc-O2 deep 20");
    options.isolation = isolation;
    if (isolation == Isolation::Reset) options.backend = Backend::OsThread;
    options.checkpoints = CheckpointUse::Always;
    auto target = start(options);
    ASSERT_TRUE(target);
    EXPECT_GT(explore(*target).traces.size(), 5u);
    EXPECT_EQ(target->resumed(), 0u);
  }
}

// A file that was opened before: its descriptor is not saved, so nothing is from there on.
TEST(CheckpointsOff, WhereADescriptorIsOpen) {
  TargetOptions options = options_for("checkpoints-gcc-O2 descriptor");
  options.isolation = Isolation::Reset;
  options.checkpoints = CheckpointUse::Always;
  auto target = start(options);
  ASSERT_TRUE(target);
  const Explored all = explore(*target);
  EXPECT_GT(all.traces.size(), 5u);
  EXPECT_EQ(target->resumed(), 0u);
}

}  // namespace
}  // namespace lockstep
