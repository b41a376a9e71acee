// The reversal of bounded partial order reduction.
#include "search/strategies/bpor.hpp"

#include <algorithm>
#include <numeric>

#include "model/schedule.hpp"
#include "search/dpor/dpor_search.hpp"

namespace lockstep {
namespace {

using namespace dpor;

// The one execution that plain reduction keeps of a trace may cost more than the bound although another would not. So a
// step is tried not only before the last conflicting step of each other thread, but also at the start of that thread's
// block of steps, where switching is free; and before releases as well as acquisitions.
class BoundedPoints final : public Reversal {
 public:
  explicit BoundedPoints(const BporOptions& options)
      : bound_(options.preemptions), conservative_(options.conservative) {}

  bool reverse_all(Path& path, Planner& planner, const Event& next, const Label& label, uint32_t end) override {
    const HappensBefore& order = path.order();
    const bool began = next.previous != HappensBefore::kNone;
    // All conflicting steps while `next` was pending count; of earlier ones, only the last of each thread.
    const uint32_t pending_since = began && order[next.previous].thread == next.thread ? next.previous : 0;
    last_.clear();
    last_acquire_.clear();
    const uint32_t known = began ? all_known_to(order, next.previous) : 0;
    for (uint32_t k = end; k-- > known;) {
      if (!path.is_step(k) || order[k].thread == next.thread) continue;
      if (began && order.ordered(k, next.previous)) continue;
      if (!dependent(planner.tree()[path.node(k)].label, label)) continue;
      bool meets = k > pending_since;
      if (!meets) {
        meets = first_time(last_, order[k].thread);
        if (!is_release(order[k].kind)) meets |= first_time(last_acquire_, order[k].thread);
      }
      if (meets) add_points(path, planner, k, next.thread);
    }
    return true;
  }

  void reverse(Path& path, Planner& planner, const Race& race) override {
    add_points(path, planner, race.first, race.next->thread);
  }

 private:
  // The number of records at the beginning that all happen before this record: the longest prefix that a previous
  // record of the thread, or of its creators, has seen completely.
  static uint32_t all_known_to(const HappensBefore& order, uint32_t record) {
    for (; record != HappensBefore::kNone; record = order[record].previous) {
      const int32_t* clock = order.clock(record);
      if (std::accumulate(clock, clock + order.width(), int64_t{0}) == int64_t{record} + 1) return record + 1;
    }
    return 0;
  }

  static bool first_time(std::vector<ThreadId>& seen, ThreadId t) {
    if (std::find(seen.begin(), seen.end(), t) != seen.end()) return false;
    seen.push_back(t);
    return true;
  }

  void add_points(Path& path, Planner& planner, uint32_t record, ThreadId t) {
    add(path, planner, record, t);
    if (!conservative_) return;
    // Plans at the start of the block that contains the record; if the record starts a block, at the start of the
    // previous block.
    const HappensBefore& order = path.order();
    uint32_t start = HappensBefore::kNone;
    for (uint32_t k = record; k-- > 0;) {
      if (!path.is_step(k)) continue;
      if (start != HappensBefore::kNone && order[k].thread != order[start].thread) break;
      start = k;
    }
    if (start != HappensBefore::kNone) add(path, planner, start, t);
  }

  void add(Path& path, Planner& planner, uint32_t record, ThreadId t) {
    if (!path.enabled(record, t)) return planner.plan_enabled(record, bound_);
    if (planner.is_planned(record, t)) return;
    if (path.preemptions(record) + ScheduleCursor(path.trace(), record, 0).cost(t) > bound_) return;
    planner.plan(record, t, path.pending_label(record, t));
  }

  const uint32_t bound_;
  const bool conservative_;
  std::vector<ThreadId> last_, last_acquire_;
};

}  // namespace

std::unique_ptr<Search> make_bpor(const BporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<BoundedPoints>(options);
  parts.sleep_sets = options.sleep_sets;
  parts.method = Method::Bounded;
  parts.max_steps = options.max_steps;
  parts.preemptions = options.preemptions;
  return std::make_unique<DporSearch>(std::move(parts));
}

}  // namespace lockstep
