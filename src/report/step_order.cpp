// Finds lock holds, order edges and waits in a trace.
#include "report/step_order.hpp"

#include <map>
#include <optional>

namespace lockstep {
namespace {

// The accesses of an object since its last write.
struct Accessed {
  uint32_t write = kNever;
  std::map<ThreadId, uint32_t> reads = {};
};

bool is_token(ObjectId object) { return static_cast<uint64_t>(object) >= static_cast<uint64_t>(broadcast_token({})); }

class EdgeFinder {
 public:
  explicit EdgeFinder(TraceView trace) : steps_(trace.steps()) {}

  std::vector<OrderEdge> find() {
    for (uint32_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (!last_.contains(step.thread))
        if (auto at = created_.find(step.thread); at != created_.end()) add(at->second, i, OrderEdge::Start);
      if (step.kind == OpKind::Create) created_[step.second.thread()] = i;
      if (step.kind == OpKind::Join)
        if (auto at = last_.find(step.second.thread()); at != last_.end()) add(at->second, i, OrderEdge::End);
      if (!step.is_note() && !step.is_choice()) look_at(i);
      if (step.kind != OpKind::ThreadExit && !step.is_choice()) last_[step.thread] = i;
    }
    return std::move(edges_);
  }

 private:
  void look_at(uint32_t i) {
    const Step& step = steps_[i];
    for (const Access& access : accesses(step.operation())) {
      if (access.object == kNoObject) continue;
      Accessed& known = accessed_[access.object];
      const OrderEdge::Kind kind = is_token(access.object) ? OrderEdge::Wake : OrderEdge::Conflict;
      const bool only_reads = known.reads.empty() || !access.write;
      if (known.write != kNever && only_reads) add(known.write, i, kind);
      if (!access.write) {
        known.reads[step.thread] = i;
        continue;
      }
      for (const auto& [thread, read] : known.reads) add(read, i, kind);
      known.reads.clear();
      known.write = i;
    }
  }

  void add(uint32_t from, uint32_t to, OrderEdge::Kind kind) {
    if (steps_[from].thread == steps_[to].thread) return;
    const auto last = last_.find(steps_[to].thread);
    // A signal wakes only threads that waited before it.
    if (kind == OrderEdge::Wake && (last == last_.end() || last->second > from)) return;
    for (size_t k = edges_.size(); k-- > 0 && edges_[k].to == to;)
      if (edges_[k].from == from) {
        if (kind == OrderEdge::Wake) edges_[k].kind = kind;
        return;
      }
    edges_.push_back({from, to, kind});
  }

  std::span<const Step> steps_;
  std::map<ObjectId, Accessed> accessed_;
  std::map<ThreadId, uint32_t> last_, created_;
  std::vector<OrderEdge> edges_;
};

const Step& step_of(const StoryRow& row, TraceView trace) {
  return row.pending ? trace.pending()[row.index] : trace.steps()[row.index];
}

// Can `step` end the wait of `op`?
bool ends_wait(const Step& step, const Step& op) {
  if (step.thread == op.thread) return false;
  if (op.kind == OpKind::Join) return step.thread == op.second.thread();
  if (!is_release(step.kind)) return false;
  if (op.kind == OpKind::Reacquire && !op.second.none() && concerns(step.operation(), op.second.condition()))
    return step.kind != OpKind::CondWait;
  return step.kind == OpKind::CondWait ? op.object == step.second.mutex() : concerns(step.operation(), op.object);
}

}  // namespace

std::vector<Hold> lock_holds(TraceView trace) {
  struct Held {
    int count = 0;
    size_t hold = 0;
  };
  std::map<std::pair<ObjectId, ThreadId>, Held> held;
  std::vector<Hold> holds;
  const auto steps = trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    Held& now = held[{held_object(step), step.thread}];
    if (acquires(step.kind, step.flags)) {
      if (now.count++ > 0) continue;
      now.hold = holds.size();
      holds.push_back({step.thread, held_object(step), i, kNever, has(step.kind, OpTraits::kShared)});
    } else if (has(step.kind, OpTraits::kGives) && now.count > 0 && --now.count == 0) {
      holds[now.hold].last = i;
    }
  }
  return holds;
}

std::vector<OrderEdge> order_edges(TraceView trace) { return EdgeFinder(trace).find(); }

std::vector<Wait> waits_of(const std::vector<StoryRow>& rows, TraceView trace) {
  std::vector<Wait> waits;
  std::map<ThreadId, size_t> open;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const StoryRow& row = rows[i];
    if (row.thread == kNoThread || row.kind == StoryRow::Preempted) continue;
    if (auto at = open.find(row.thread); at != open.end()) {
      Wait& wait = waits[at->second];
      open.erase(at);
      wait.last = i;
      const StoryRow& begin = rows[wait.first];
      // The operation that waited is the thread's next operation, or one that waits as part of its own row.
      const bool glued =
          begin.waits && (row.kind != StoryRow::Operation || step_of(row, trace).kind != OpKind::Reacquire);
      const Step& op = step_of(glued || row.kind != StoryRow::Operation ? begin : row, trace);
      if (!(op.flags & Step::kTimedOut))
        for (uint32_t k = i; k-- > wait.first + 1 && wait.ended_by == kNever;)
          if (rows[k].kind == StoryRow::Operation && ends_wait(step_of(rows[k], trace), op)) wait.ended_by = k;
    }
    const bool waits_now = row.kind == StoryRow::Blocked || (row.kind == StoryRow::Operation && row.waits);
    if (!waits_now) continue;
    open[row.thread] = waits.size();
    waits.push_back({row.thread, i, kNever, kNever});
  }
  return waits;
}

}  // namespace lockstep
