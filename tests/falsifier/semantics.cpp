#include "semantics.hpp"

#include "stepper.hpp"

namespace falsifier {

State first_state(const Program& program, std::vector<Next>& failed) {
  State state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  for (int t = 0; t < kThreads; ++t) state.thread[t].holds = 1;
  state.thread[0].state = kLive;
  state.thread[0].clock[0] = 1;
  state.q[2].value = 1;
  const Rules rules;
  Stepper stepper(program, state, 0, rules);
  stepper.settle(0);
  if (stepper.next().failure != kNone) failed.push_back(stepper.next());
  return stepper.next().state;
}

std::vector<Next> step(const Program& program, const State& state, int thread, const Rules& rules, bool timeout) {
  return Stepper(program, state, thread, rules).run(timeout);
}

bool enabled(const Program& program, const State& s, int t, const Rules& rules) {
  const Thread& th = s.thread[t];
  if (th.state != kLive || s.ended) return false;
  const Code& code = code_of(program, s, t);
  if (th.pc >= code.length) return true;
  const Instruction& i = code.at[th.pc];
  const auto held = [&](const Owned& m, bool recursive) {
    if (m.destroyed || !m.owner) return false;
    return m.owner != t + 1 ? true : !recursive && !rules.may;  // a relock is a deadlock, or undefined
  };
  const ReadWrite& w = s.w[i.x];
  switch (i.op) {
    case Op::lock_:
    case Op::spint_: return !held(s.m[i.x], i.x == 2);
    case Op::tryfor_: return !s.m[i.x].owner || (i.x == 2 && s.m[i.x].owner == t + 1) || s.m[i.x].destroyed;
    case Op::sl_: return !held(s.s[i.x], false);
    case Op::rd_: return w.destroyed || !w.writer;
    case Op::wr_: return w.destroyed || (!w.writer && w.readers == std::array<uint8_t, kThreads>{});
    case Op::wait_:
    case Op::waitfor_:
    case Op::cwait_: return th.phase == kWaiting ? false : th.phase != kWoken || !s.m[i.y].owner;
    case Op::acq_:
    case Op::acqfor_: return s.q[i.x].value > 0 || s.q[i.x].destroyed;
    case Op::bar_:
    case Op::sleep_: return th.phase != kWaiting;
    case Op::spin_:
    case Op::spiny_: return s.a[i.x].value == i.y;
    case Op::hlock_: return s.h[i.x].freed || !held(s.h[i.x].m, false);
    case Op::hacq_: return s.h[i.x].freed || s.h[i.x].q.value > 0;
    case Op::join_: return s.thread[i.x].state == kDone;
    default: return true;
  }
}

bool can_time_out(const Program& program, const State& s, int t) {
  const Thread& th = s.thread[t];
  if (th.state != kLive || s.ended) return false;
  const Code& code = code_of(program, s, t);
  if (th.pc >= code.length) return false;
  const Instruction& i = code.at[th.pc];
  switch (i.op) {
    case Op::tryfor_:
    case Op::acqfor_: return !enabled(program, s, t, Rules());
    case Op::waitfor_:
    case Op::sleep_: return th.phase == kWaiting;
    default: return false;
  }
}

int earliest_end(const Program& program, const State& s, int t) {
  return std::min(s.thread[t].clock[kTime] + duration(code_of(program, s, t).at[s.thread[t].pc]), kLatest);
}
int latest_end(const Program& program, const State& s, int t) {
  return std::min(s.thread[t].latest + duration(code_of(program, s, t).at[s.thread[t].pc]), kLatest);
}

bool wake_spuriously(const Program& program, State& s, int t) {
  Thread& th = s.thread[t];
  if (th.state != kLive || s.ended || th.phase != kWaiting) return false;
  const Op op = code_of(program, s, t).at[th.pc].op;
  if (op != Op::wait_ && op != Op::waitfor_ && op != Op::cwait_) return false;
  th.phase = kWoken;
  ++s.spurious;
  return true;
}

}  // namespace falsifier
