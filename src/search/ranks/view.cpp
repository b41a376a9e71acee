// Predicts what threads see in an alternative execution.
#include "search/ranks/view.hpp"

#include <algorithm>
#include <bit>

namespace lockstep {
namespace {

constexpr uint32_t kFar = 128;           // predicted operations of one thread
constexpr uint32_t kMostWork = 200'000;  // predicted operations of all threads, after one execution

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

uint64_t did_then(uint64_t did, const Step& step) {
  return mix(mix(did, static_cast<uint64_t>(step.kind) << 8 | (step.flags & (Step::kWrite | Step::kTimedOut))),
             static_cast<uint64_t>(step.object));
}

// A store does not read the old value.
bool is_blind(OpKind kind) { return kind == OpKind::Store || kind == OpKind::PlainWrite; }

}  // namespace

uint64_t ViewRank::source_before(ObjectId object, uint32_t record) const {
  const auto place = writes_.find(object);
  if (place == writes_.end()) return 0;
  const auto after = std::lower_bound(place->second.begin(), place->second.end(), record,
                                      [](const Write& w, uint32_t r) { return w.record < r; });
  return after == place->second.begin() ? 0 : std::prev(after)->source;
}

bool ViewRank::taken_by_another(ObjectId object, uint32_t record, ThreadId t) const {
  const auto place = writes_.find(object);
  if (place == writes_.end()) return false;
  const auto after = std::lower_bound(place->second.begin(), place->second.end(), record,
                                      [](const Write& w, uint32_t r) { return w.record < r; });
  if (after == place->second.begin()) return false;
  const Write& last = *std::prev(after);
  return last.acquired && last.thread != t;
}

void ViewRank::forget_from(uint32_t record) {
  for (; past_.size() > record; past_.pop_back()) now_[index_of(past_.back().thread)] = past_.back();
  for (; !wrote_.empty() && wrote_.back().first >= record; wrote_.pop_back()) writes_[wrote_.back().second].pop_back();
}

void ViewRank::learn(const Step& step, uint32_t record) {
  while (index_of(step.thread) >= now_.size()) now_.push_back({0, 0, ThreadId(static_cast<uint16_t>(now_.size()))});
  Past& me = now_[index_of(step.thread)];
  past_.push_back(me);
  if (step.is_choice()) {
    me = {mix(me.did, step.taken()), mix(me.view, step.taken()), me.thread};
    return;
  }
  if (step.is_note()) return;
  const uint64_t did = did_then(me.did, step);
  uint64_t view = mix(me.view, did);
  const AccessList list = accesses(step.operation());
  if (!is_blind(step.kind))
    for (const Access& access : list) view = mix(view, source_before(access.object, record));
  me = {did, view, me.thread};
  seen_.insert(view);
  for (const Access& access : list)
    if (access.write) {
      const bool acquired = is_acquire(step.kind) && access.object == step.object;
      writes_[access.object].push_back({record, did, step.thread, acquired});
      wrote_.emplace_back(record, access.object);
    }
}

void ViewRank::save(StateWriter& out) const {
  out.put_all(std::vector<uint64_t>(seen_.begin(), seen_.end()));
  out.put<uint64_t>(promised_.size());
  for (const auto& [view, times] : promised_) {
    out.put(view);
    out.put(times);
  }
}

void ViewRank::load(StateReader& in) {
  const std::vector<uint64_t> seen = in.get_all<uint64_t>();
  seen_.insert(seen.begin(), seen.end());
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    const auto view = in.get<uint64_t>();
    promised_[view] = in.get<uint32_t>();
  }
}

void ViewRank::look(const ExecutionView& execution) {
  if (execution.same() == 0) {
    writes_.clear();
    wrote_.clear();
    past_.clear();
    now_.clear();
  }
  forget_from(execution.same());
  work_ = kMostWork;
  uint32_t record = execution.same();
  for (const Step& step : execution.trace().steps().subspan(record)) learn(step, record++);
  for (const Step& step : execution.trace().pending()) {
    while (index_of(step.thread) >= now_.size()) now_.push_back({0, 0, ThreadId(static_cast<uint16_t>(now_.size()))});
    past_.push_back(now_[index_of(step.thread)]);
  }
}

uint64_t ViewRank::foretell(const ExecutionView& execution, ThreadId t, uint32_t step) {
  const std::span<const uint32_t> operations = execution.operations_of(t);
  auto next = std::lower_bound(operations.begin(), operations.end(), step);
  if (next == operations.end()) return 0;
  uint64_t view = past_[*next].view, did = past_[*next].did, fresh = 0;
  for (uint32_t n = 0; next != operations.end() && n < kFar && work_ > 0; ++next, ++n, --work_) {
    const Step& op = execution.operation(*next);
    const AccessList list = accesses(op.operation());
    const auto written = [&](ObjectId object) {
      return std::find_if(overlay_.rbegin(), overlay_.rend(), [&](const Overlay& o) { return o.object == object; });
    };
    if (is_acquire(op.kind) && written(op.object) == overlay_.rend() && taken_by_another(op.object, step, t)) break;
    did = did_then(did, op);
    view = mix(view, did);
    if (!is_blind(op.kind))
      for (const Access& access : list) {
        const auto own = written(access.object);
        view = mix(view, own != overlay_.rend() ? own->source : source_before(access.object, step));
      }
    if (fresh == 0 && !seen_.contains(view)) fresh = view;
    for (const Access& access : list)
      if (access.write) overlay_.push_back({access.object, did});
  }
  return fresh;
}

uint64_t ViewRank::of(const ExecutionView& execution, const Alternative& a) {
  if (!chooses_thread(execution, a)) return 0;
  overlay_.clear();
  uint64_t fresh = foretell(execution, ThreadId{a.value}, a.step);
  if (fresh == 0) fresh = foretell(execution, execution.operation(a.step).thread, a.step);
  if (fresh == 0) return kNothingNew;
  return static_cast<uint64_t>(std::bit_width(promised_[fresh]++));
}

}  // namespace lockstep
