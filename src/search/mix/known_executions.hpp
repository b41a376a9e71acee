// Executions that other strategies ran, by their deviations from the default schedule. A plan that leads to one of them
// need not be run again.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/plan.hpp"
#include "model/schedule.hpp"
#include "model/trace.hpp"
#include "search/base/saved_trace.hpp"
#include "search/base/schedule_segments.hpp"

namespace lockstep {

class KnownExecutions {
 public:
  static constexpr uint64_t kMostBytes = 4 << 20;

  void add(TraceView trace) {
    if (bytes_ < kMostBytes && is_whole(trace.outcome()) && !trace.is_brief()) insert(trace);
  }
  void save(StateWriter& out) const {
    out.put<uint64_t>(known_.size());
    for (const auto& [key, known] : known_) put_trace(out, known.trace);
  }
  void load(StateReader& in) {
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count)
      if (const Trace trace = get_trace(in); !trace.empty()) insert(trace);
  }

  void forget() {
    if (!known_.empty()) *this = {};
  }

  // The execution that the plan leads to, if it is certain: the plan has no sleep set, no random policy and no
  // additional requests.
  const Trace* find(const Plan& plan) const {
    if (plan.policy != Policy::Default || plan.sleep_at != kNoStep || plan.detail || plan.stacks || plan.origins ||
        !plan.extra.empty() || !plan.tracked.empty())
      return nullptr;
    const auto place = known_.find(hash_of(plan.deltas));
    if (place == known_.end() || place->second.deltas != plan.deltas) return nullptr;
    const Trace& trace = place->second.trace;
    return trace.view().header().decisions <= plan.max_steps ? &trace : nullptr;
  }

 private:
  void insert(TraceView trace) {
    std::vector<Delta> deltas = plan_of(trace).deltas;
    const uint64_t key = hash_of(deltas);
    const auto [place, fresh] = known_.try_emplace(key, Known{std::move(deltas), Trace(trace)});
    if (fresh) bytes_ += trace.header().bytes;
  }

  struct Known {
    std::vector<Delta> deltas;
    Trace trace;
  };

  std::unordered_map<uint64_t, Known> known_;
  uint64_t bytes_ = 0;
};

}  // namespace lockstep
