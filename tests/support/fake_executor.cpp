#include "fake_executor.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "model/schedule.hpp"
#include "runtime/policies/atomic_blocks.hpp"
#include "runtime/policies/guided_schedule.hpp"
#include "runtime/policies/pct.hpp"
#include "runtime/policies/pos.hpp"
#include "runtime/policies/priorities.hpp"
#include "runtime/policies/surw.hpp"

namespace lockstep::fake {
namespace {

void* zeroed(size_t bytes) { return std::calloc(1, bytes); }

// Large, and as good as new for every execution.
rt::Blocks& shared_blocks() {
  static rt::Blocks blocks;
  blocks.init(zeroed);
  return blocks;
}

class Execution {
 public:
  Execution(const Program& program, const Plan& plan, bool wide)
      : machine_(program), plan_(plan), wide_(wide), random_(plan.seed ? plan.seed : 1) {
    const auto words = static_cast<uint32_t>(plan.extra.size());
    if (plan.policy == Policy::Pct && words)
      pct_.begin(plan.seed, plan.pct_depth, plan.extra.data(), words);
    else
      pct_.begin(plan.seed, plan.pct_depth, plan.pct_horizon);
    if (plan.policy == Policy::Priorities) priorities_.begin(plan.extra.data(), words);
    pos_.begin(plan.seed);
    if (blocks())
      shared_blocks().begin(plan.extra.data(), static_cast<uint32_t>(plan.extra.size()), plan.sleep_at, false);
    if (plan.policy == Policy::Surw)
      surw_.begin(plan.seed, plan.extra.data(), static_cast<uint32_t>(plan.extra.size()));
    if (guided()) guided_.begin(plan.extra.data(), static_cast<uint32_t>(plan.extra.size()));
  }

  Trace run() {
    out_.steps.reserve(64);
    for (unsigned t = 0; t < machine_.threads(); ++t) note(OpKind::Create, kMainThread, thread_id(t));
    for (unsigned t = 0; t < machine_.threads(); ++t)
      if (machine_.done(t)) note(OpKind::ThreadExit, thread_id(t), thread_id(t));
    Outcome outcome = Outcome::Ok;
    while (outcome == Outcome::Ok && machine_.any_enabled()) outcome = one_step();
    if (outcome == Outcome::Ok) outcome = machine_.outcome();
    finish(outcome);
    return out_.build();
  }

 private:
  void note(OpKind kind, ThreadId by, ThreadId about) {
    Step s{};
    s.kind = kind;
    s.thread = by;
    s.object = thread_object(about);
    s.second = Companion::thread(about);
    s.flags = Step::kNote;
    out_.steps.push_back(s);
  }

  bool guided() const { return plan_.policy == Policy::Guided; }
  bool blocks() const { return plan_.policy == Policy::Blocks; }

  ThreadId pick_block(const std::vector<unsigned>& enabled, ThreadId otherwise) {
    const ThreadId next = shared_blocks().choose(
        static_cast<uint32_t>(out_.steps.size()),
        [&](auto&& visit) {
          for (const unsigned t : enabled) visit(thread_id(t));
        },
        [&](ThreadId t) { return !machine_.done(index_of(t) - 1); },
        [&] {
          for (unsigned t = 0; t < machine_.threads(); ++t)
            if (!machine_.done(t) && machine_.blocked(t)) return true;
          return false;
        });
    return next == rt::Blocks::kAsByDefault ? otherwise : next;
  }

  // Did the signal let a waiter go on at once?
  bool woke_somebody(const Step& step, const std::vector<unsigned>& enabled_before) const {
    if (step.kind != OpKind::CondSignal && step.kind != OpKind::CondBroadcast) return false;
    for (unsigned t = 0; t < machine_.threads(); ++t)
      if (machine_.enabled(t) && machine_.pending(t).kind == OpKind::Reacquire &&
          std::find(enabled_before.begin(), enabled_before.end(), t) == enabled_before.end())
        return true;
    return false;
  }

  // The plan's word on the record that comes next. False: it speaks of a record that was no decision.
  bool planned(std::optional<uint16_t>& value) {
    value.reset();
    if (delta_ == plan_.deltas.size()) return true;
    const Delta& delta = plan_.deltas[delta_];
    if (delta.step > out_.steps.size() && delta.step != kNextDecision) return true;
    ++delta_;
    value = delta.value;
    return delta.step == out_.steps.size() || delta.step == kNextDecision;
  }

  bool free_to_roam() const {
    return is_random(plan_.policy) && delta_ == plan_.deltas.size() && out_.steps.size() >= plan_.policy_at;
  }

  uint64_t roll(uint64_t n) {  // xorshift64*: any repeatable generator will do
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return (random_ * 0x2545f4914f6cdd1dull >> 33) % n;
  }

  ThreadId pick_random(const std::vector<unsigned>& enabled) {
    const auto each = [&](auto&& visit) {
      for (const unsigned t : enabled) visit(thread_id(t));
    };
    if (plan_.policy == Policy::Pct && pct_.of_variables())
      return pct_.choose(each, yielded_ ? running_ : kNoThread,
                         [&](ThreadId t) { return static_cast<uint64_t>(machine_.pending(index_of(t) - 1).object); });
    if (plan_.policy == Policy::Pct) return pct_.choose(each, yielded_ ? running_ : kNoThread);
    if (plan_.policy == Policy::Pos) return pos_.choose(each);
    if (plan_.policy == Policy::Surw)
      return surw_.choose(each, [&](ThreadId t) {
        return plan_.focus == kNoObject || concerns(machine_.pending(index_of(t) - 1).operation(), plan_.focus);
      });
    return thread_id(enabled[roll(enabled.size())]);
  }

  ThreadId follow(const ThreadSetView& enabled, ThreadId otherwise) {
    const ThreadId wanted = guided_.choose([&](ThreadId t) { return enabled.contains(t); });
    return wanted != kNoThread ? wanted : otherwise;
  }

  Outcome redundant(Redundancy why) {
    out_.header.redundancy = why;
    return Outcome::Redundant;
  }

  Outcome one_step() {
    if (out_.header.decisions >= plan_.max_steps) return Outcome::StepLimit;
    std::vector<uint64_t> set(machine_.threads() / 64 + 1, 0);
    std::vector<unsigned> enabled;
    for (unsigned t = 0; t < machine_.threads(); ++t) {
      if (!machine_.enabled(t)) continue;
      enabled.push_back(t);
      set[(t + 1) / 64] |= uint64_t{1} << (t + 1) % 64;
    }
    std::optional<uint16_t> value;
    const bool roams = free_to_roam();
    if (!planned(value)) return Outcome::Diverged;
    const ThreadSetView view(set.data(), static_cast<unsigned>(set.size()));
    if (plan_.sleep_at != kNoStep && out_.steps.size() >= plan_.sleep_at && !slept_) fall_asleep();
    std::vector<uint64_t> awake = set;
    for (const ThreadId t : asleep_) awake[index_of(t) / 64] &= ~(uint64_t{1} << index_of(t) % 64);
    const ThreadSetView awake_view(awake.data(), static_cast<unsigned>(awake.size()));
    if (!value && awake_view.empty()) return redundant(Redundancy::AllAsleep);
    ThreadId who = default_thread(awake_view, ThreadSetView(nullptr, 0), running_, yielded_, plan_.policy);
    if (value)
      who = ThreadId{*value};
    else if (roams)
      who = pick_random(enabled);
    else if (guided())
      who = follow(view, who);
    else if (plan_.policy == Policy::Priorities)
      who = priorities_.choose(
          static_cast<uint32_t>(out_.steps.size()),
          [&](auto&& visit) {
            for (const unsigned t : enabled) visit(thread_id(t));
          },
          running_, yielded_);
    if (blocks() && value)
      shared_blocks().follows_plan(who, static_cast<uint32_t>(out_.steps.size()));
    else if (blocks())
      who = pick_block(enabled, who);
    if (who == rt::Blocks::kRedundant) return redundant(Redundancy::BlocksElsewhere);
    if (!view.contains(who)) return Outcome::Diverged;

    const unsigned t = index_of(who) - 1, choices = machine_.choices(t);
    std::vector<Operation> slumber;  // what the sleepers would do now
    for (const ThreadId sleeper : asleep_) slumber.push_back(machine_.pending(index_of(sleeper) - 1).operation());
    const size_t record = out_.steps.size();
    out_.steps.emplace_back();
    unsigned taken = 0;
    bool unforeseen = false;
    std::optional<Step> data;
    if (choices > 1) {
      const bool roams_now = free_to_roam();
      if (!planned(value)) return Outcome::Diverged;
      if (value) {
        const Delta& delta = plan_.deltas[delta_ - 1];
        unforeseen = delta.step == kNextDecision && !delta.data;
      }
      if (unforeseen)
        taken = 0;
      else if (value)
        taken = *value;
      else if (guided())
        taken = guided_.choose_data(who, choices);
      else if (roams_now)
        taken = static_cast<unsigned>(roll(choices));
      if (taken >= choices) return Outcome::Diverged;
      data.emplace(Step{});
      data->kind = OpKind::Choose;
      data->thread = who;
      data->set_choice(static_cast<uint16_t>(taken), static_cast<uint16_t>(choices));
    }
    Step step = machine_.step(t, taken);
    store_set(step, set);
    out_.steps[record] = step;
    if (data) out_.steps.push_back(*data);
    if (unforeseen) return redundant(Redundancy::UnforeseenChoice);
    out_.header.decisions += data ? 2 : 1;
    if (blocks())
      shared_blocks().executed(step, static_cast<uint32_t>(record), {.woke_somebody = woke_somebody(step, enabled)});
    running_ = who;
    yielded_ = step.flags & Step::kYield;
    for (size_t i = slumber.size(); i-- > 0;)
      if (dependent(slumber[i], step.operation())) asleep_.erase(asleep_.begin() + static_cast<std::ptrdiff_t>(i));
    if (plan_.policy == Policy::Pos) redraw(step.operation());
    for (const unsigned w : machine_.let_go()) {
      Step leave{};
      leave.kind = OpKind::BarrierLeave;
      leave.thread = thread_id(w);
      leave.object = step.object;
      leave.flags = Step::kNote;
      out_.steps.push_back(leave);
      if (machine_.done(w)) note(OpKind::ThreadExit, thread_id(w), thread_id(w));
    }
    if (machine_.done(t) && !machine_.exited()) exited(who);
    return Outcome::Ok;
  }

  void redraw(const Operation& done) {
    const auto unfinished = [&](auto&& visit) {
      for (unsigned t = 0; t < machine_.threads(); ++t)
        if (!machine_.done(t)) visit(thread_id(t));
    };
    pos_.executed(done.thread, unfinished,
                  [&](ThreadId t) { return dependent(done, machine_.pending(index_of(t) - 1).operation()); });
  }

  void fall_asleep() {
    slept_ = true;
    asleep_ = plan_.sleep;
  }

  void store_set(Step& step, const std::vector<uint64_t>& set) {
    if (set.size() == 1 && !wide_) {
      step.enabled = set[0];
      return;
    }
    step.flags |= Step::kWide;
    step.enabled = out_.sets.size();
    out_.sets.push_back(set.size());
    out_.sets.insert(out_.sets.end(), set.begin(), set.end());
    out_.sets.insert(out_.sets.end(), set.size(), 0);
  }

  void exited(ThreadId who) {
    note(OpKind::ThreadExit, who, who);
    for (unsigned t = 0; t < machine_.threads(); ++t)
      if (!machine_.done(t)) return;
    for (unsigned t = 0; t < machine_.threads(); ++t) note(OpKind::Join, kMainThread, thread_id(t));
  }

  void finish(Outcome outcome) {
    out_.header.outcome = outcome;
    if (blocks()) {
      shared_blocks().ended();
      out_.blocks.assign(shared_blocks().out(), shared_blocks().out() + shared_blocks().units);
    }
    out_.header.plan_id = plan_.id;
    out_.header.threads = machine_.threads() + 1;
    out_.header.culprit = kNoThread;
    if (outcome == Outcome::Assertion) {
      out_.header.culprit = machine_.culprit() == kNoThread ? kMainThread : machine_.culprit();
      out_.message = machine_.culprit() == kNoThread ? "final" : machine_.message();
    }
    Reasons reasons;  // as the runtime names them
    for (unsigned t = 0; t < machine_.threads(); ++t) {
      if (machine_.done(t)) continue;
      if (out_.pending.empty()) {
        Step join{};
        join.kind = OpKind::Join;
        join.thread = kMainThread;
        join.object = thread_object(thread_id(t));
        join.second = Companion::thread(thread_id(t));
        join.flags = Step::kBlocked;
        out_.pending.push_back(join);
      }
      Step p = machine_.pending(t);
      if (machine_.blocked(t)) p.flags |= Step::kBlocked;
      out_.pending.push_back(p);
      if (is_whole(outcome) && outcome != Outcome::Deadlock && outcome != Outcome::Livelock && !machine_.blocked(t))
        reasons.add(Reason::EarlyExit);
    }
    out_.header.reasons = reasons.bits();
  }

  Machine machine_;
  const Plan& plan_;
  const bool wide_;
  uint64_t random_;
  rt::Guided guided_;
  rt::Pct pct_;
  rt::Priorities priorities_;
  rt::Pos pos_;
  rt::Surw surw_;
  size_t delta_ = 0;
  ThreadId running_ = kNoThread;
  bool yielded_ = false;
  bool slept_ = false;
  std::vector<ThreadId> asleep_;
  TraceBuilder out_;
};

}  // namespace

Trace execute(const Program& program, const Plan& plan, bool wide_sets) {
  return Execution(program, plan, wide_sets).run();
}

void FakeExecutor::submit(const Plan& plan) {
  in_flight_.push_back({plan, {}});
  most_ = std::max(most_, in_flight_.size());
  if (options_.timing == Timing::Eager) run(in_flight_.back());
}

std::optional<TraceView> FakeExecutor::next(const std::function<bool()>& interrupted) {
  if (interrupted()) return std::nullopt;
  if (options_.timing == Timing::Backwards)
    for (auto item = in_flight_.rbegin(); item != in_flight_.rend(); ++item) run(*item);
  run(in_flight_.front());
  before_ = std::move(current_);
  current_ = std::move(in_flight_.front().trace);
  in_flight_.pop_front();
  ++delivered_;
  if (options_.tamper) options_.tamper(current_, delivered_);
  if (options_.same == Told::Nothing || delivered_ % 7 == 0) return current_.view();
  return TraceView(&current_.view().header(), static_cast<uint32_t>(delivered_), same_as_before());
}

uint32_t FakeExecutor::same_as_before() const {
  if (before_.empty()) return 0;
  const std::span<const Step> now = current_.view().steps(), then = before_.view().steps();
  uint32_t same = 0;
  while (same < now.size() && same < then.size() && !(now[same].flags & Step::kWide) &&
         std::memcmp(&now[same], &then[same], sizeof(Step)) == 0)
    ++same;
  if (options_.same == Told::TooMuch) return static_cast<uint32_t>(std::min({same + 2ul, now.size(), then.size()}));
  return delivered_ % 3 == 0 ? same / 2 : same;
}

void FakeExecutor::run(Item& item) {
  if (item.trace.empty()) item.trace = execute(program_, item.plan, options_.wide_sets);
}

}  // namespace lockstep::fake
