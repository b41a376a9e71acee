// One step of one thread: the instructions of language.hpp on the state of semantics.hpp.
#pragma once
#include <algorithm>
#include <utility>

#include "semantics.hpp"

namespace falsifier {

enum : uint8_t { kStart, kWaiting, kWoken, kReleasing };  // phases of an instruction

inline void join_clock(Clock& into, const Clock& from) {
  for (std::size_t t = 0; t < into.size(); ++t) into[t] = std::max(into[t], from[t]);
}

inline const Code& code_of(const Program& program, const State& state, int t) {
  return program.code[state.thread[t].handler ? kHandler : t];
}

inline bool is_local(Op op) {
  return op == Op::req_ || op == Op::if_ || op == Op::set_ || op == Op::isr_ || op == Op::never_;
}

// One step of one thread, or several alternatives of it.
class Stepper {
 public:
  Stepper(const Program& program, const State& state, int thread, const Rules& rules)
      : program_(program), rules_(rules), t_(thread), next_{state} {
    next_.state.last = static_cast<uint8_t>(thread);
  }
  std::vector<Next> run(bool timeout) {
    me().latest = s().latest;  // whatever it learns
    if (timeout) {
      const int earliest = earliest_end(program_, s(), t_), latest = latest_end(program_, s(), t_);
      me().clock[kTime] = static_cast<uint8_t>(std::max<int>(me().clock[kTime], earliest));
      s().latest = me().latest = static_cast<uint8_t>(std::max<int>(me().latest, latest));
      give_up();
    } else if (me().pc >= code_of(program_, s(), t_).length) {
      end_of_code();
    } else {
      execute();
    }
    if (results_.empty()) results_.push_back(next_);
    return std::move(results_);
  }
  // Executes what others cannot see, up to the next visible instruction.
  void settle(int t) {
    Thread& th = s().thread[t];
    const Code& code = code_of(program_, s(), t);
    while (next_.failure == kNone && th.pc < code.length && is_local(code.at[th.pc].op)) local(th, code.at[th.pc]);
    if (th.pc >= code.length && t != 0 && !th.handler && next_.failure == kNone) th.state = kDone;
  }
  Next& next() { return next_; }

 private:
  State& s() { return next_.state; }
  Thread& me() { return s().thread[t_]; }
  const Instruction& at() { return code_of(program_, s(), t_).at[me().pc]; }
  void fail(Failure failure) {
    if (next_.failure == kNone) next_.failure = failure;
  }
  void done() {
    me().phase = kStart;
    ++me().pc;
    settle(t_);
  }
  void done(int r) {
    me().r = static_cast<int8_t>(r);
    done();
  }
  void acquire(const Clock& clock) { join_clock(me().clock, clock); }
  void release(Clock& clock) {
    join_clock(clock, me().clock);
    ++me().clock[t_];
  }

  void local(Thread& th, const Instruction& i) {
    ++th.pc;
    switch (i.op) {
      case Op::req_:
        if (th.r == i.x) fail(kAssertion);
        break;
      case Op::if_:
        if (th.r != i.x) th.pc = static_cast<uint8_t>(th.pc + i.y);
        break;
      case Op::set_: th.r = static_cast<int8_t>(i.x); break;
      case Op::isr_: th.holds = th.holds && th.results[i.x] == i.y; break;
      default:
        if (th.holds) fail(kAssertion);
    }
  }

  // --- memory ---

  bool ordered(int thread, int time) { return thread == t_ || time <= me().clock[thread]; }
  void look(Variable& v, bool told) {
    if (told && v.written && !ordered(v.writer, v.written)) next_.race = true;
    if (told) v.reads[t_] = me().clock[t_];
  }
  void change(Variable& v, bool told) {
    if (!told) return;
    if (v.written && !ordered(v.writer, v.written)) next_.race = true;
    for (int t = 0; t < kThreads; ++t)
      if (v.reads[t] && !ordered(t, v.reads[t])) next_.race = true;
    v.writer = static_cast<uint8_t>(t_);
    v.written = me().clock[t_];
    v.reads = {};
  }
  int load(Atomic& a, bool relaxed) {
    if (!relaxed) acquire(a.clock);
    return a.value;
  }
  void store(Atomic& a, int v, bool relaxed, bool continues) {
    a.value = static_cast<int8_t>(v);
    if (!continues) a.clock = {};
    if (!relaxed) release(a.clock);
  }
  int exchange(Atomic& a, int v, bool relaxed) {
    const int seen = load(a, relaxed);
    store(a, v, relaxed, true);
    return seen;
  }

  // --- locks ---

  bool lock(Owned& m, bool recursive) {
    if (m.destroyed) fail(kUndefined);
    if (m.owner && !(recursive && m.owner == t_ + 1)) {
      if (m.owner == t_ + 1 && rules_.may) fail(kUndefined);
      return false;
    }
    m.owner = static_cast<uint8_t>(t_ + 1);
    ++m.depth;
    acquire(m.clock);
    return true;
  }
  void unlock(Owned& m, bool recursive = false) {
    if (recursive && m.owner != t_ + 1 && !rules_.may) return;  // an error code, which nobody has to look at
    if (m.destroyed || m.owner != t_ + 1) return fail(kUndefined);
    if (--m.depth == 0) m.owner = 0;
    release(m.clock);
  }
  bool lock_shared(ReadWrite& w) {
    if (w.destroyed) fail(kUndefined);
    if (w.writer) return false;
    ++w.readers[t_];
    acquire(w.clock);
    return true;
  }
  bool lock_exclusive(ReadWrite& w) {
    if (w.destroyed) fail(kUndefined);
    if (w.writer || w.readers != std::array<uint8_t, kThreads>{}) return false;
    w.writer = static_cast<uint8_t>(t_ + 1);
    acquire(w.clock), acquire(w.read_clock);
    return true;
  }
  void unlock_shared(ReadWrite& w) {
    if (w.destroyed || !w.readers[t_]) return fail(kUndefined);
    --w.readers[t_];
    release(w.read_clock);
  }
  void unlock_exclusive(ReadWrite& w) {
    if (w.destroyed || w.writer != t_ + 1) return fail(kUndefined);
    w.writer = 0;
    release(w.clock);
  }
  bool take(Semaphore& q) {
    if (q.destroyed) fail(kUndefined);
    if (!q.value) return false;
    --q.value;
    acquire(q.clock);
    return true;
  }
  void post(Semaphore& q) {
    if (q.destroyed) return fail(kUndefined);
    ++q.value;
    release(q.clock);
  }

  // --- instructions ---

  void execute();
  bool atomic(const Instruction& i);
  bool memory(const Instruction& i);
  bool locks(const Instruction& i);
  bool condition(const Instruction& i);
  bool meeting(const Instruction& i);
  bool spin(const Instruction& i);
  bool on_heap(const Instruction& i);
  bool process_state(const Instruction& i);
  bool lifetime(const Instruction& i);
  void increment(Variable& v, bool told);
  void wait(const Instruction& i);
  void notify(int c, bool all);
  void barrier(const Instruction& i);
  void destroy(const Instruction& i);
  void leave(int code);
  void exit_twice() {  // undefined; nothing is promised
    if (rules_.may) fail(kUndefined);
    s().ended = 1;
  }
  void end_of_code();
  void give_up();
  bool waits_on(int t, int c) {
    const Thread& th = s().thread[t];
    if (th.state != kLive || th.phase != kWaiting) return false;
    const Instruction& i = code_of(program_, s(), t).at[th.pc];
    return (i.op == Op::wait_ || i.op == Op::waitfor_ || i.op == Op::cwait_) && i.x == c;
  }

  const Program& program_;
  const Rules& rules_;
  const int t_;
  Next next_;
  std::vector<Next> results_;
};

}  // namespace falsifier
