// Builds delay bounding from a tree search.
#include "search/strategies/delay.hpp"

#include "search/tree/tree_search.hpp"

namespace lockstep {
namespace {

// The number of enabled threads that are passed over, starting from the thread that ran last, or from the one after it
// if it has yielded.
uint32_t delays(const ScheduleCursor& at, ThreadId next) {
  const ThreadSetView enabled = at.enabled(), timed = at.timed();
  const bool only_timeouts = timed.size() == enabled.size();
  const unsigned start = at.running() == kNoThread ? 0 : index_of(at.running()) + (at.yielded() ? 1 : 0);
  const auto turn = [start](ThreadId t) { return (index_of(t) + kMaxThreads - start) % kMaxThreads; };
  uint32_t skipped = 0;
  enabled.for_each([&](ThreadId t) {
    const bool has_turn = only_timeouts || !timed.contains(t);
    const bool earlier = turn(t) < turn(next) || (!only_timeouts && timed.contains(next));
    skipped += t != next && has_turn && earlier;
  });
  return skipped;
}

}  // namespace

std::unique_ptr<Search> make_delay(const DelayOptions& options) {
  TreeSearchParts parts;
  parts.max_steps = options.max_steps;
  parts.bound = options.bound;
  parts.rank = rank_by_cost;
  parts.level_by_level = true;
  parts.cost = delays;
  parts.unit = "delay";
  parts.policy = Policy::RoundRobin;
  return std::make_unique<TreeSearch>(std::move(parts));
}

}  // namespace lockstep
