// Turns steps into rows, and selects the important ones.
#include "report/story_rows.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/lock_owners.hpp"
#include "model/schedule.hpp"
#include "model/waits_for_ever.hpp"

namespace lockstep {
namespace {

struct Next {
  bool pending;
  uint32_t index;
};

// The operation of each thread after step i: its next step, or its pending operation.
class Lookahead {
 public:
  explicit Lookahead(TraceView trace) : next_(trace.steps().size()) {
    std::map<ThreadId, Next> upcoming;
    const auto pending = trace.pending();
    for (uint32_t i = 0; i < pending.size(); ++i) upcoming[pending[i].thread] = {true, i};
    const auto steps = trace.steps();
    for (uint32_t i = static_cast<uint32_t>(steps.size()); i-- > 0;) {
      if (auto at = upcoming.find(steps[i].thread); at != upcoming.end()) next_[i] = at->second;
      if (!steps[i].is_choice() && steps[i].kind != OpKind::ThreadExit) upcoming[steps[i].thread] = {false, i};
    }
  }
  std::optional<Next> after(uint32_t step) const { return next_[step]; }

 private:
  std::vector<std::optional<Next>> next_;
};

// Waits that are part of the operation before them: the operation's row shows the wait.
bool is_glued(OpKind first, OpKind second) {
  return (first == OpKind::CondWait && second == OpKind::Reacquire) ||
         (first == OpKind::FutexWait && second == OpKind::FutexBlocked) ||
         (first == OpKind::BarrierArrive && second == OpKind::BarrierLeave);
}

class RowWriter {
 public:
  RowWriter(TraceView trace, const DataRace* race) : trace_(trace), race_(race), lookahead_(trace) {}

  std::vector<StoryRow> write() {
    for (ScheduleCursor cursor(trace_); !cursor.done(); cursor.advance()) {
      tell_race(cursor.index());
      const Step& step = cursor.step();
      if (!step.is_note() && !step.is_choice()) tell_switch(cursor);
      holdings_.apply(step);
      if (step.kind == OpKind::ThreadExit) continue;
      last_step_[step.thread] = cursor.index();
      asleep_.erase(step.thread);
      StoryRow row{.kind = StoryRow::Operation, .thread = step.thread};
      row.index = cursor.index();
      add(std::move(row));
    }
    tell_race(static_cast<uint32_t>(trace_.steps().size()));
    tell_end();
    return std::move(rows_);
  }

 private:
  void add(StoryRow row) {
    if (row.kind == StoryRow::Operation || row.kind == StoryRow::Blocked || row.kind == StoryRow::Racing)
      row.number = ++number_;
    rows_.push_back(std::move(row));
  }

  // An access comes after the last step of its thread, before another thread can run.
  void tell_race(uint32_t records) {
    if (!race_) return;
    const RaceAccess* accesses[] = {&race_->first, &race_->second};
    for (uint32_t i = race_->misuse() ? 1 : 0; i < 2; ++i) {
      if (accesses[i]->step != records) continue;
      StoryRow row{.kind = StoryRow::Racing, .thread = accesses[i]->thread};
      row.index = i;
      add(std::move(row));
    }
  }

  void tell_switch(const ScheduleCursor& cursor) {
    const Step& step = cursor.step();
    if (cursor.cost(step.thread) > 0 && !trace_.timed(step).contains(step.thread)) {
      StoryRow row{.kind = StoryRow::Preempted, .thread = cursor.running(), .other = step.thread};
      add(std::move(row));
      return;
    }
    if (rows_.empty()) return;
    // The thread that did something last, even a note: a thread that creates others and then joins makes no decisions.
    const ThreadId before = rows_.back().thread;
    if (before == step.thread || trace_.enabled(step).contains(before)) return;
    const auto last = last_step_.find(before);  // none if the thread has only accessed memory so far
    if (last == last_step_.end()) return;
    if (auto next = lookahead_.after(last->second)) tell_blocked(before, *next);
  }

  void tell_blocked(ThreadId thread, Next next) {
    if (!asleep_.insert(thread).second) return;
    const Step& op = next.pending ? trace_.pending()[next.index] : trace_.steps()[next.index];
    if (!rows_.empty() && rows_.back().kind == StoryRow::Operation && rows_.back().thread == thread &&
        is_glued(trace_.steps()[rows_.back().index].kind, op.kind)) {
      rows_.back().waits = true;
      return;
    }
    StoryRow row{.kind = StoryRow::Blocked, .thread = thread};
    row.pending = next.pending;
    row.index = next.index;
    const bool for_signal = op.kind == OpKind::Reacquire && holdings_.waits_for_signal(thread);
    if (!for_signal && op.kind != OpKind::Join) row.blockers = holdings_.holders(op.object);
    add(std::move(row));
  }

  void tell_end() {
    const auto pending = trace_.pending();
    // The thread that ran last comes first, because it tried to continue first.
    for (bool last : {true, false})
      for (uint32_t i = 0; i < pending.size(); ++i) {
        const bool ran_last = !trace_.steps().empty() && trace_.steps().back().thread == pending[i].thread;
        if (ran_last == last && (pending[i].flags & Step::kBlocked)) tell_blocked(pending[i].thread, {true, i});
      }
    const ThreadId culprit = trace_.header().culprit;
    if (culprit == kNoThread || waits_for_ever(trace_.header()) || trace_.outcome() == Outcome::Ok) return;
    StoryRow row{.kind = StoryRow::Failure, .thread = culprit};
    rows_.push_back(std::move(row));
  }

  TraceView trace_;
  const DataRace* race_;
  Lookahead lookahead_;
  LockOwners holdings_;
  std::map<ThreadId, uint32_t> last_step_;
  std::set<ThreadId> asleep_;  // threads with a row that says they wait
  std::vector<StoryRow> rows_;
  uint32_t number_ = 0;
};

// Whether a row must be shown: of operations those that conflict with what another thread did last, and what it did.
std::vector<bool> telling(const std::vector<StoryRow>& rows, TraceView trace) {
  std::vector<bool> keep(rows.size());
  std::map<ObjectId, size_t> last_access;  // row
  const auto steps = trace.steps();
  for (size_t i = 0; i < rows.size(); ++i) {
    const StoryRow& row = rows[i];
    if (row.kind == StoryRow::Skipped) continue;
    if (row.kind != StoryRow::Operation) {
      keep[i] = true;
      if (i > 0) keep[i - 1] = true;
      if (i + 1 < rows.size()) keep[i + 1] = true;
      continue;
    }
    const Step& step = steps[row.index];
    if (step.kind == OpKind::Create || row.waits) keep[i] = true;
    for (const Access& access : accesses(step.operation())) {
      auto [at, fresh] = last_access.try_emplace(access.object, i);
      const Step& before = steps[rows[at->second].index];
      if (!fresh && before.thread != step.thread && dependent(before.operation(), step.operation()))
        keep[i] = keep[at->second] = true;
      at->second = i;
    }
  }
  return keep;
}

}  // namespace

std::vector<StoryRow> all_rows(TraceView trace, const DataRace* race) {
  std::vector<StoryRow> rows = RowWriter(trace, race).write();
  const auto is_second = [](const StoryRow& row) { return row.kind == StoryRow::Racing && row.index == 1; };
  const auto last = std::find_if(rows.begin(), rows.end(), is_second);
  if (last != rows.end()) rows.erase(last + 1, rows.end());
  return rows;
}

std::map<ThreadId, uint32_t> fold_creation(std::vector<StoryRow>& rows, TraceView trace, Creation how) {
  const auto kind_of = [&trace](const StoryRow& row) {
    const bool operation = row.kind == StoryRow::Operation || row.kind == StoryRow::Blocked;
    if (!operation) return OpKind::Yield;
    return (row.pending ? trace.pending()[row.index] : trace.steps()[row.index]).kind;
  };
  const auto folds = [&](const StoryRow& row) {
    const OpKind kind = kind_of(row);
    return kind == OpKind::Create || kind == OpKind::Join || kind == OpKind::ThreadStart;
  };
  const auto tells = [&](const StoryRow& row) { return row.number != 0 && !folds(row); };
  std::map<ThreadId, uint32_t> folded;
  if (std::none_of(rows.begin(), rows.end(), tells)) return folded;  // the story consists of these rows only
  for (const StoryRow& row : rows)
    if (folds(row) && row.kind == StoryRow::Operation && kind_of(row) != OpKind::ThreadStart) ++folded[row.thread];
  if (how == Creation::LeftOut) std::erase_if(rows, folds);
  for (StoryRow& row : rows)
    if (folds(row)) row.number = 0;
  uint32_t number = 0;
  for (StoryRow& row : rows)
    if (row.number) row.number = ++number;
  return folded;
}

std::vector<bool> rows_worth_telling(const std::vector<StoryRow>& rows, TraceView trace, size_t limit) {
  if (rows.size() <= limit) return std::vector<bool>(rows.size(), true);
  std::vector<bool> keep = telling(rows, trace);
  constexpr size_t kEnd = 8;  // the last rows show the failure
  for (size_t i = rows.size() - std::min(kEnd, rows.size()); i < rows.size(); ++i) keep[i] = true;
  // The end is more important than the beginning: a quarter of the limit is taken from the beginning, the rest from the
  // end.
  const auto kept = static_cast<size_t>(std::count(keep.begin(), keep.end(), true));
  size_t seen = 0;
  for (size_t i = 0; i < keep.size() && kept > limit; ++i)
    if (keep[i] && ++seen > limit / 4 && kept - seen >= limit - limit / 4) keep[i] = false;
  return keep;
}

}  // namespace lockstep
