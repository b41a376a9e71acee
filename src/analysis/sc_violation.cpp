// Monitors loads and stores for violations of sequential consistency (Sober).
#include "analysis/sc_violation.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "model/schedule.hpp"

namespace lockstep {
namespace {

constexpr uint16_t kSeqCst = 5;
constexpr uint64_t kMostLookedAt = 20'000;  // executions with delayable stores; a common violation shows early

int order_of(const Step& s) { return s.order(); }
bool is_delayed_store(const Step& s) {
  return s.kind == OpKind::PlainWrite || (s.kind == OpKind::Store && order_of(s) != kSeqCst);
}
// Runs after every execution. Written without branches, because loads and stores come in any order.
bool any_delayed_store(std::span<const Step> steps) {
  static constexpr auto kind = [] {  // 2: always; 1: if its order is not seq_cst
    std::array<uint8_t, 256> kind{};
    kind[static_cast<size_t>(OpKind::PlainWrite)] = 2;
    kind[static_cast<size_t>(OpKind::Store)] = 1;
    return kind;
  }();
  unsigned any = 0;
  for (const Step& s : steps) any |= kind[static_cast<size_t>(s.kind)] & (unsigned{order_of(s) != kSeqCst} | 2u);
  return any != 0;
}
bool is_load(const Step& s) { return s.kind == OpKind::Load || s.kind == OpKind::PlainRead; }

using Clock = std::vector<uint32_t>;  // by thread: number of its steps

void join(Clock& into, const Clock& from) {
  for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

// The clocks of one execution. `full` is the order of the execution. The relaxed clocks know stores only and omit the
// order from a store to a later load of the same thread.
class StoreMonitor {
 public:
  StoreMonitor() = default;
  // Continues from the state of `before`, which has to outlive this object.
  explicit StoreMonitor(const StoreMonitor* before)
      : before_(before), width_(before->width_), threads_(before->threads_) {}

  std::optional<StaleLoad> look(std::span<const Step> steps, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) {
      const Step& s = steps[i];
      const size_t highest =
          std::max<size_t>(index_of(s.thread), s.kind == OpKind::Create ? index_of(s.second.thread()) : 0);
      if (highest >= width_) widen(highest + 1);
      Thread& me = threads_[index_of(s.thread)];
      if (s.kind == OpKind::Create || s.kind == OpKind::Join) {
        life(s, me);
        continue;
      }
      const AccessList list = accesses(s.operation());
      if (list.size == 0) continue;
      ++me.index;
      const bool plain_or_atomic = is_load(s) || is_atomic(s.kind) || s.kind == OpKind::PlainWrite;
      if ((is_atomic(s.kind) && s.after_fence()) || !plain_or_atomic || s.kind == OpKind::Cas) fence(me);
      if (is_load(s) || (s.kind == OpKind::Cas && !(s.flags & Step::kWrite))) {
        if (auto stale = load(i, s, me, list.item[0].object)) return stale;
      } else if (is_delayed_store(s)) {
        store(i, s, me, list.item[0].object);
      } else {
        for (const Access& access : list) locked(i, s, me, access);
      }
    }
    return std::nullopt;
  }

 private:
  struct Thread {
    Clock full;
    Clock to_load, to_store;  // inherited by its next load and by its next store
    uint32_t index = 0;
  };
  struct Object {
    Clock written, read;                  // full
    Clock relaxed_written, relaxed_read;  // stores only
    ThreadId writer = kNoThread;          // of the last store
    uint32_t writer_index = 0, step = 0;

    void widen(size_t threads) {
      for (Clock* clock : {&written, &read, &relaxed_written, &relaxed_read}) clock->resize(threads);
    }
  };

  Object& at(ObjectId id) {
    auto [place, fresh] = objects_.try_emplace(static_cast<uint64_t>(id));
    if (!fresh) return place->second;
    Object& object = place->second;
    if (before_)
      if (const auto known = before_->objects_.find(static_cast<uint64_t>(id)); known != before_->objects_.end())
        object = known->second;
    object.widen(width_);
    return object;
  }

  void widen(size_t threads) {
    width_ = threads;
    threads_.resize(width_);
    for (Thread& thread : threads_)
      for (Clock* clock : {&thread.full, &thread.to_load, &thread.to_store}) clock->resize(width_);
    for (auto& [id, object] : objects_) object.widen(width_);
  }

  void fence(Thread& me) {
    join(me.to_load, me.to_store);
    me.to_store = me.to_load;
  }

  void life(const Step& s, Thread& me) {
    Thread& other = threads_[index_of(s.second.thread())];
    Thread& from = s.kind == OpKind::Create ? me : other;
    Thread& to = s.kind == OpKind::Create ? other : me;
    fence(from);
    join(to.full, from.full);
    join(to.to_load, from.to_load);
    join(to.to_store, from.to_store);
  }

  std::optional<StaleLoad> load(uint32_t i, const Step& s, Thread& me, ObjectId id) {
    Object& o = at(id);
    const bool external = o.writer != kNoThread && o.writer != s.thread;
    if (external && me.full[index_of(o.writer)] >= o.writer_index && me.to_load[index_of(o.writer)] < o.writer_index)
      return StaleLoad{i, o.step};
    join(me.full, o.written);
    me.full[index_of(s.thread)] = me.index;
    if (external) join(me.to_load, o.relaxed_written);
    join(me.to_store, me.to_load);
    join(o.read, me.full);
    join(o.relaxed_read, me.to_load);
    return std::nullopt;
  }

  void write_full(const Step& s, Thread& me, Object& o) {
    join(me.full, o.written);
    join(me.full, o.read);
    me.full[index_of(s.thread)] = me.index;
    o.written = me.full;
    std::fill(o.read.begin(), o.read.end(), 0);
  }
  void wrote(uint32_t i, const Step& s, const Thread& me, Object& o) {
    o.relaxed_written = me.to_store;
    std::fill(o.relaxed_read.begin(), o.relaxed_read.end(), 0);
    o.writer = s.thread;
    o.writer_index = me.index;
    o.step = i;
  }

  void store(uint32_t i, const Step& s, Thread& me, ObjectId id) {
    Object& o = at(id);
    write_full(s, me, o);
    join(me.to_store, o.relaxed_written);
    join(me.to_store, o.relaxed_read);
    me.to_store[index_of(s.thread)] = me.index;
    wrote(i, s, me, o);
  }

  // Operations that drain the store buffer: read-modify-writes, stores followed by a fence, operations of locks and
  // system calls.
  void locked(uint32_t i, const Step& s, Thread& me, const Access& access) {
    Object& o = at(access.object);
    write_full(s, me, o);
    fence(me);
    join(me.to_store, o.relaxed_written);
    join(me.to_store, o.relaxed_read);
    me.to_store[index_of(s.thread)] = me.index;
    me.to_load = me.to_store;
    wrote(i, s, me, o);
  }

  const StoreMonitor* before_ = nullptr;
  size_t width_ = 0;
  std::vector<Thread> threads_;
  std::unordered_map<uint64_t, Object> objects_;
};

std::optional<StaleLoad> find_stale_load(TraceView trace) {
  return StoreMonitor().look(trace.steps(), 0, trace.header().steps);
}

ScViolationAnalysis::ScViolationAnalysis() : prefix_(std::make_unique<CommonPrefix<StoreMonitor>>()) {}
ScViolationAnalysis::~ScViolationAnalysis() = default;

std::optional<StaleLoad> ScViolationAnalysis::stale_load(TraceView trace) {
  std::optional<StaleLoad> stale;
  const uint32_t from = prefix_->of(trace, [&](StoreMonitor& monitor, uint32_t begin, uint32_t end) {
    stale = monitor.look(trace.steps(), begin, end);
  });
  if (!stale) return StoreMonitor(&prefix_->state()).look(trace.steps(), from, trace.header().steps);
  prefix_->begin_anew();  // records after a violation are not read
  return stale;
}

std::optional<Finding> ScViolationAnalysis::check(TraceView trace) {
  if (looked_at_ >= kMostLookedAt) return std::nullopt;
  // Without a delayable store no load can be stale. Most programs have none.
  const uint32_t same = delayed_ ? 0 : last_.shared_with(trace);
  delayed_ = any_delayed_store(trace.steps().subspan(same));
  if (!delayed_) return std::nullopt;
  ++looked_at_;
  const auto stale = stale_load(trace);
  if (!stale) return std::nullopt;
  const Step &load = trace.steps()[stale->load], &store = trace.steps()[stale->store];
  Finding finding;
  finding.kind = FindingKind::ScViolation;
  finding.preemptions = count_preemptions(trace);
  finding.threads = 2;
  finding.steps = {stale->store, stale->load};
  finding.message = "a load of " + name_of(load.thread) + " may miss a store of " + name_of(store.thread) +
                    " on a processor with store buffers; such executions are not explored";
  return finding;
}

}  // namespace lockstep
