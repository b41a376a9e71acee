// The search loop of ExitBlock: plans schedules of blocks and learns their traces.
#include "search/blocks/block_search.hpp"

#include <algorithm>
#include <iterator>

#include "model/schedule.hpp"
#include "model/text_lines.hpp"

namespace lockstep {
namespace {

constexpr size_t kMostPlanned = 16'384;  // words of memory in a plan; more counts as everything
constexpr size_t kMostAhead = 256;       // only these last open schedules may be handed out
constexpr uint64_t kMostWaitingBytes = 64 << 20;
constexpr uint32_t kMostTries = 8;  // of a predicted deadlock whose schedule did not reach it

ObjectId wanted_by(TraceView trace, ThreadId t) {
  for (const Step& p : trace.pending())
    if (p.thread == t) return p.object;
  return kNoObject;
}

bool touch_same(std::span<const Touched> a, std::span<const Touched> b, bool reads_too) {
  return std::any_of(a.begin(), a.end(), [&](const Touched& x) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Touched& y) { return x.word == y.word && conflict(x, y, reads_too); });
  });
}

// The state of the threads before a record of the execution.
struct Position {
  HeldLocks held;
  std::map<ThreadId, uint32_t> done{};  // operations done
  uint32_t record = 0;

  void advance(TraceView trace, uint32_t to) {
    for (; record < to; ++record) {
      const Step& step = trace.steps()[record];
      held.apply(step);
      done[step.thread] += !step.is_note() && !step.is_choice();
    }
  }
};

}  // namespace

BlockSearch::BlockSearch(BlockSearchParts parts) : parts_(parts) { open_.emplace_back(); }

// Under a bound a thread must not wait for a conflict: the order with few preemptions could be lost.
uint8_t BlockSearch::flags() const {
  const bool conflicts = parts_.conflicts && (!bounded() || parts_.conflicts_within_bound);
  return static_cast<uint8_t>((conflicts ? kBlocksConflict : 0) | (parts_.locks_write ? kBlocksLocksWrite : 0) |
                              (parts_.run_delayed ? kBlocksRunDelayed : 0) |
                              (parts_.forget_locks ? kBlocksForgetLocks : 0) |
                              (parts_.reads_conflict ? kBlocksReadsConflict : 0));
}

// The deepest open schedule. A schedule is handed out only once the memory of its delayed threads' blocks is known.
std::optional<Plan> BlockSearch::next() {
  const size_t most = learned_ < parts_.alone || waiting_bytes_ > kMostWaitingBytes ? 1 : kMostAhead;
  const size_t look = std::min(most, open_.size());
  for (size_t i = 1; i <= look; ++i) {
    Node& node = open_[open_.size() - i];
    if (node.status != Node::Status::Open || !ready(node)) continue;
    node.status = Node::Status::UnderWay;
    in_flight_.push_back(open_.size() - i);
    return plan_for(node);
  }
  return std::nullopt;
}

bool BlockSearch::ready(const Node& node) {
  return std::none_of(node.stopped.begin(), node.stopped.end(),
                      [](const Stopped& s) { return s.memory && s.memory->variants > 0; });
}

Plan BlockSearch::plan_for(const Node& node) const {
  Plan plan;
  plan.max_steps = parts_.max_steps;
  if (node.deadlock) {
    plan.policy = Policy::Guided;
    plan.extra = node.deadlock->schedule;
    return plan;
  }
  plan.policy = Policy::Blocks;
  plan.deltas = node.deltas;
  plan.sleep_at = node.start;
  size_t room = kMostPlanned;
  std::vector<StoppedThread> stopped;
  for (const Stopped& s : node.stopped) {
    StoppedThread& out = stopped.emplace_back(StoppedThread{s.thread, s.aborted, false, s.wanted});
    if (!s.memory) continue;
    out.everything = s.memory->everything || s.memory->touched.size() > room;
    if (out.everything) continue;
    out.touched = s.memory->touched;
    room -= out.touched.size();
  }
  write_stopped(flags(), stopped, plan.extra);
  return plan;
}

void BlockSearch::learn(TraceView trace) {
  if (discarded_ > 0) {
    --discarded_;
    return criteria_.check(trace);
  }
  if (in_flight_.empty()) return;  // the saved search was forged
  const size_t place = in_flight_.front();
  in_flight_.pop_front();
  if (place + 1 < open_.size()) {
    open_[place].status = Node::Status::Back;
    open_[place].trace.assign(trace);
    waiting_bytes_ += trace.header().bytes;
    return;
  }
  learn_now(trace);
  while (!open_.empty() && open_.back().status == Node::Status::Back) {
    const Trace waited = std::move(open_.back().trace);
    waiting_bytes_ -= waited.view().header().bytes;
    learn_now(waited);
  }
}

// Learns the last open schedule.
void BlockSearch::learn_now(TraceView trace) {
  const Node node = std::move(open_.back());
  open_.pop_back();
  ++learned_;
  const Outcome outcome = trace.outcome();
  criteria_.check(trace);
  if (!users_.learn(trace) && !parts_.never_start_over) return start_over();
  if (outcome == Outcome::WorkerDied || outcome == Outcome::Uncontrolled) {
    ++lost_;
  } else if (outcome == Outcome::Diverged) {
    ++diverged_;
  } else if (node.deadlock) {
    learn_deadlock(node, trace);
  } else {
    if (outcome == Outcome::StepLimit) ++cut_;
    note_early_locks(trace);
    nests_locks_ = nests_locks_ || nests_locks(trace, early_);
    expand(node, trace);
  }
  if (node.variant) --node.variant->variants;
  peak_ = std::max<uint64_t>(peak_, open_.size());
}

// A lock that counted as private has got a second user, so orders at its exits are missing.
void BlockSearch::start_over() {
  discarded_ = in_flight_.size();
  in_flight_.clear();
  open_.clear();
  open_.emplace_back();
  waiting_bytes_ = schedules_ = aborted_ = confirmed_ = 0;
  predicted_.clear();
  unconfirmed_.clear();
  users_.forget_reliance();
}

void BlockSearch::expand(const Node& node, TraceView trace) {
  const std::vector<Block> blocks = blocks_of(trace);
  const std::vector<Delta> deltas = plan_of(trace).deltas;
  const bool given_up = !blocks.empty() && blocks.back().record.how == BlockRecord::Aborted;
  if (given_up)
    ++aborted_;
  else
    ++schedules_;
  std::vector<Stopped> stopped = node.stopped;
  Position at{early_};
  std::vector<Node> predicted;  // schedules of predicted deadlocks, run next
  ThreadId before = kNoThread;  // thread of the previous block, if it could continue
  for (size_t i = 0; i < blocks.size();) {
    const auto rest = std::span(blocks).subspan(i);
    const auto parts = rest.first(parts_.private_locks_end ? 1 : unit_size(trace, rest, users_));
    i += parts.size();
    const Block block = joined(parts);
    const ThreadId t = block.record.thread;
    at.advance(trace, block.record.begin);
    std::vector<LockWait> waits = waits_in_block(trace, block.record, block.end, at.held);
    if (nests_locks_) predict(trace, block.record.begin, at.held, stopped, t, waits, predicted);
    Node here;
    for (const Delta& d : deltas)
      if (d.step < block.record.begin) here.deltas.push_back(d);
    here.start = block.record.begin;
    here.cost = node.cost;
    here.stopped = stopped;
    const bool past_end = parts_.operations && before == t && at.done[t] >= *parts_.operations;
    const Delay delay = past_end ? Delay::No : before == t ? Delay::Preempts : Delay::Free;
    const std::shared_ptr<Memory> memory = branch(node, trace, block, here, delay, std::move(waits));
    add_choices(node, trace, block, here, memory);
    for (const Block& part : parts) go_on(trace, part, stopped);
    const Step& last = trace.steps()[block.record.end];
    before = last.flags & Step::kYield ? kNoThread : t;
  }
  std::ranges::move(predicted, std::back_inserter(open_));
}

// Plans the schedules that run another thread instead of this block of the execution. Returns what the block touches,
// or nullptr if the block was given up.
std::shared_ptr<BlockSearch::Memory> BlockSearch::branch(const Node& node, TraceView trace, const Block& block,
                                                         const Node& here, Delay delay, std::vector<LockWait> waits) {
  const ThreadId t = block.record.thread;
  if (node.variant && here.start == node.start) {
    Memory& known = *node.variant;
    known.everything |= block.record.everything;
    known.touched.insert(known.touched.end(), block.touched.begin(), block.touched.end());
    std::ranges::move(waits, std::back_inserter(known.waits));
    return node.variant;
  }
  const bool others = others_could_run(trace, block, here.stopped);
  Node later = here;
  if (block.record.how == BlockRecord::Aborted) {
    const auto way = std::make_shared<Memory>(
        Memory{block.record.everything != 0, without_locks(trace, block), 0, std::move(waits)});
    later.stopped.push_back({t, true, wanted_by(trace, t), way});
    if (others) push(std::move(later));
    return nullptr;
  }
  // After a failure the rest of the block is unknown.
  const bool failed = trace.outcome() != Outcome::Ok && trace.outcome() != Outcome::Redundant;
  const bool unknown = block.record.how == BlockRecord::Last && failed;
  auto memory =
      std::make_shared<Memory>(Memory{block.record.everything || unknown, block.touched, 0, std::move(waits)});
  later.cost += delay == Delay::Preempts;
  if (parts_.one_delayed)  // planted mistake: threads delayed before are never resumed
    for (Stopped& s : later.stopped) s = {s.thread, true, kNoObject, nullptr};
  later.stopped.push_back({t, false, kNoObject, memory});
  if (others && delay != Delay::No) push(std::move(later));
  return memory;
}

bool BlockSearch::others_could_run(TraceView trace, const Block& block, const std::vector<Stopped>& stopped) const {
  const Step& first = trace.steps()[block.record.begin];
  const ThreadSetView enabled = trace.enabled(first), timed = trace.timed(first);
  const bool only_timeouts = timed.size() == enabled.size();
  bool others = false;
  enabled.for_each([&](ThreadId t) {
    const bool stops = std::any_of(stopped.begin(), stopped.end(), [t](const Stopped& s) { return s.thread == t; });
    others |= t != block.record.thread && !stops && (only_timeouts || !timed.contains(t));
  });
  return others;
}

// The memory that a block touched, without the locks that it took.
std::vector<Touched> BlockSearch::without_locks(TraceView trace, const Block& block) {
  std::vector<Touched> touched = block.touched;
  for (const Step& step : trace.steps().subspan(block.record.begin))
    if (takes_lock(step.kind))
      std::erase_if(touched,
                    [&](const Touched& x) { return x.word == (static_cast<uint64_t>(step.object) & ~uint64_t{7}); });
  return touched;
}

// Can this block change the path on which an aborted thread came to wait?
bool BlockSearch::changes_way(const Block& block, const Memory& way) const {
  if (way.everything || (block.record.everything && !way.touched.empty())) return true;
  return touch_same(block.touched, way.touched, parts_.reads_conflict);
}

// Removes the threads that this block resumes. Must agree with runtime/policies/atomic_blocks.hpp.
void BlockSearch::go_on(TraceView trace, const Block& block, std::vector<Stopped>& stopped) const {
  std::erase_if(stopped, [&](const Stopped& s) {
    if (s.aborted) {
      const auto steps = trace.steps().subspan(block.record.begin, block.end - block.record.begin);
      if (s.memory && changes_way(block, *s.memory)) return true;
      return std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return writes(step, s.wanted); });
    }
    if (!(flags() & kBlocksConflict) || block.record.everything || s.memory->everything) return true;
    return touch_same(block.touched, s.memory->touched, parts_.reads_conflict);
  });
}

// Plans all other outcomes of the block's data choices (which waiter a signal wakes, choose(n)), with the same stopped
// threads. A thread delayed in favour of others is delayed with the memory that any of the outcomes touches.
void BlockSearch::add_choices(const Node& node, TraceView trace, const Block& block, const Node& here,
                              const std::shared_ptr<Memory>& memory) {
  Node variant = here;
  variant.variant = memory;
  const auto thread = static_cast<uint16_t>(index_of(block.record.thread));
  variant.deltas.push_back({block.record.begin, thread});
  for (uint32_t i = block.record.begin + 1; i < block.end; ++i) {
    const Step& step = trace.steps()[i];
    if (!step.is_choice()) continue;
    if (i > node.choices_after || block.record.begin != node.start) {
      for (uint16_t value = 0; value < step.alternatives(); ++value) {
        if (value == step.taken()) continue;
        Node other = variant;
        other.deltas.push_back({i, value});
        other.choices_after = i;
        if (push(std::move(other)) && memory) ++memory->variants;
      }
    }
    if (step.taken() != 0) variant.deltas.push_back({i, step.taken()});
  }
}

bool BlockSearch::push(Node node) {
  if (parts_.preemptions && node.cost > *parts_.preemptions) return false;
  open_.push_back(std::move(node));
  return true;
}

// A lock that is released but not taken in the trace was taken before the second thread was created.
void BlockSearch::note_early_locks(TraceView trace) {
  HeldLocks held = early_;
  for (const Step& step : trace.steps()) {
    const ObjectId lock = HeldLocks::released(step);
    const std::vector<HeldLock>& mine = held.of(step.thread);
    if (lock != kNoObject && std::none_of(mine.begin(), mine.end(), [&](const HeldLock& h) { return h.lock == lock; }))
      early_.hold(step.thread, {lock, HeldLocks::is_exclusive(step.kind)});
    held.apply(step);
  }
}

BlockSearch::Key BlockSearch::key_of(const std::vector<LockNesting>& cycle) {
  Key key;
  for (const LockNesting& n : cycle) key.insert({index_of(n.thread), static_cast<uint64_t>(n.wanted)});
  return key;
}

// Adds the deadlocks in which stopped threads begin their blocks here as well.
void BlockSearch::predict(TraceView trace, uint32_t begin, HeldLocks& held, const std::vector<Stopped>& stopped,
                          ThreadId thread, const std::vector<LockWait>& waits, std::vector<Node>& predicted) {
  std::vector<ThreadWaits> threads;
  for (const Stopped& s : stopped) threads.push_back({s.thread, s.memory ? s.memory->waits : std::vector<LockWait>{}});
  threads.push_back({thread, waits});
  const size_t mine = threads.size() - 1;
  add_next_waits(trace, begin, held, threads);
  std::swap(threads[mine], threads.back());
  for (PredictedDeadlock& deadlock : predict_deadlocks(trace, begin, threads)) {
    if (!parts_.deadlocks) {
      criteria_.add({.kind = Criterion::Deadlock, .operation = OpKind::Lock, .object = deadlock.cycle[0].wanted});
      return;
    }
    const auto [known, fresh] = predicted_.try_emplace(key_of(deadlock.cycle), 0);
    if (!fresh && (known->second == 0 || known->second >= kMostTries)) continue;  // run, or tried often enough
    predicted.emplace_back().deadlock = std::move(deadlock);
  }
}

// A deadlock that the schedule reaches is reported like any other. One that it does not reach remains a warning.
void BlockSearch::learn_deadlock(const Node& node, TraceView trace) {
  const std::vector<LockNesting>& cycle = node.deadlock->cycle;
  const Key key = key_of(cycle);
  if (trace.outcome() == Outcome::Deadlock) {
    ++confirmed_;
    predicted_[key] = 0;
    unconfirmed_.erase(key);
    return;
  }
  if (predicted_[key]++ > 0) return;
  std::string message = "predicted deadlock, not confirmed:";
  for (const LockNesting& n : cycle)
    message.append(" ")
        .append(name_of(n.thread))
        .append(" takes one lock while holding another")
        .append(&n == &cycle.back() ? "" : ",");
  unconfirmed_.emplace(key, unconfirmed(cycle, message, Trace(trace)));
}

std::vector<Finding> BlockSearch::predictions() const {
  std::vector<Finding> all;
  for (const auto& [key, finding] : unconfirmed_) all.push_back(finding);
  return all;
}

Finding BlockSearch::unconfirmed(const std::vector<LockNesting>& cycle, const std::string& message, Trace trace) {
  Finding finding;
  finding.kind = FindingKind::LockOrder;
  finding.threads = static_cast<uint32_t>(cycle.size());
  finding.lock_cycle = cycle;
  finding.message = message;
  finding.trace = std::move(trace);
  return finding;
}

Claim BlockSearch::claim() const {
  Claim claim;
  claim.unrepeated = diverged_;
  if (!finished()) return claim;
  claim.scope = Scope::BlockOrders;
  claim.finished = true;
  claim.bounds.preemptions = claim.preemptions_completed = parts_.preemptions;
  claim.bounds.operations = parts_.operations;
  claim.predicts_deadlocks = parts_.deadlocks && !parts_.conflicts && !bounded() && unmet().empty();
  if (parts_.forget_locks) claim.provisos.push_back({ProvisoKind::Criteria, true, 0, {}, "nested locks"});
  for (const Criterion& c : unmet()) claim.provisos.push_back({ProvisoKind::Criteria, true, 0, {}, criterion_text(c)});
  return claim;
}

SearchStatus BlockSearch::status() const {
  std::string text = count_of(schedules_, "order") + " of blocks";
  if (aborted_) text += ", " + count_of(aborted_, "block") + " given up";
  if (confirmed_) text += ", " + count_of(confirmed_, "predicted deadlock") + " confirmed";
  return {.frontier_nodes = open_.size(), .peak_frontier_nodes = peak_, .contributions = std::move(text)};
}

}  // namespace lockstep
