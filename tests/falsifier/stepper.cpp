#include "stepper.hpp"

namespace falsifier {

void Stepper::execute() {
  const Instruction i = at();
  (void)(atomic(i) || memory(i) || locks(i) || condition(i) || meeting(i) || spin(i) || on_heap(i) ||
         process_state(i) || lifetime(i));
}

bool Stepper::atomic(const Instruction& i) {
  Atomic& a = s().a[i.x];
  switch (i.op) {
    case Op::load_: done(load(a, false)); break;
    case Op::loadx_: done(load(a, true)); break;
    case Op::store_: store(a, i.y, false, false), done(); break;
    case Op::storex_: store(a, i.y, true, false), done(); break;
    case Op::put_: store(a, me().r + 1, false, false), done(); break;
    case Op::add_: done(exchange(a, a.value + i.y, false)); break;
    case Op::addx_: done(exchange(a, a.value + i.y, true)); break;
    case Op::xchg_: done(exchange(a, i.y, false)); break;
    case Op::cas_:
      if (load(a, false) == i.y) {
        store(a, i.z, false, true), done(1);
      } else {
        done(0);
      }
      break;
    case Op::is_: {
      const int seen = load(a, false);
      me().holds = me().holds && seen == i.y;
      done();
      break;
    }
    case Op::tinc_:
      if (me().phase == kStart) me().extra = static_cast<int8_t>(load(a, false));
      if (me().phase == kStart && rules_.may) {
        me().phase = kWoken;
      } else {
        store(a, me().extra + 1, false, false);
        me().extra = 0;
        done();
      }
      break;
    default: return false;
  }
  return true;
}

void Stepper::increment(Variable& v, bool told) {
  if (me().phase == kStart) {
    look(v, told);
    me().extra = v.value;
    me().phase = kWoken;
  } else {
    change(v, told);
    v.value = static_cast<int8_t>(me().extra + 1);
    me().extra = 0;
    done();
  }
}

bool Stepper::memory(const Instruction& i) {
  Variable& v = s().p[i.x];
  switch (i.op) {
    case Op::read_: look(v, true), done(v.value); break;
    case Op::isp_:
      look(v, true);
      me().holds = me().holds && v.value == i.y;
      done();
      break;
    case Op::write_: change(v, true), v.value = static_cast<int8_t>(i.y), done(); break;
    case Op::putp_: change(v, true), v.value = static_cast<int8_t>(me().r + 1), done(); break;
    case Op::inc_: increment(v, true); break;
    case Op::uinc_: increment(v, rules_.may); break;
    default: return false;
  }
  return true;
}

bool Stepper::locks(const Instruction& i) {
  Owned &m = s().m[i.x], &spinlock = s().s[i.x];
  ReadWrite& w = s().w[i.x];
  switch (i.op) {
    case Op::lock_:
    case Op::spint_:
      if (lock(m, i.x == 2)) done();
      break;
    case Op::tryfor_:
    case Op::try_: done(lock(m, i.x == 2)); break;
    case Op::unlock_: unlock(m, i.x == 2), done(); break;
    case Op::sl_:
      if (lock(spinlock, false)) done();
      break;
    case Op::st_: done(lock(spinlock, false)); break;
    case Op::su_: unlock(spinlock), done(); break;
    case Op::rd_: lock_shared(w), done(); break;
    case Op::wr_: lock_exclusive(w), done(); break;
    case Op::tryrd_: done(lock_shared(w)); break;
    case Op::trywr_: done(lock_exclusive(w)); break;
    case Op::unrd_: unlock_shared(w), done(); break;
    case Op::unwr_: unlock_exclusive(w), done(); break;
    default: return false;
  }
  return true;
}

void Stepper::wait(const Instruction& i) {
  Owned& m = s().m[i.y];
  if (me().phase == kWoken) {
    lock(m, false);
    if (i.op == Op::cwait_) {
      me().phase = kStart;
    } else {
      if (i.op == Op::waitfor_) me().r = me().extra;
      me().extra = 0;
      done();
    }
  } else if (i.op == Op::cwait_ && me().phase == kStart) {
    look(s().p[i.z], true);
    if (s().p[i.z].value == i.u) return done();
    me().phase = kReleasing;
  } else {
    if (s().condition_destroyed[i.x] || m.depth > 1) return fail(kUndefined);
    unlock(m);
    me().phase = kWaiting;
  }
}

void Stepper::notify(int c, bool all) {
  if (s().condition_destroyed[c]) return fail(kUndefined);
  const Next before = next_;
  for (int t = 0; t < kThreads; ++t) {
    if (!waits_on(t, c)) continue;
    s().thread[t].phase = kWoken;
    if (all) continue;
    done();
    results_.push_back(next_);
    next_ = before;
  }
  if (results_.empty()) done();
}

bool Stepper::condition(const Instruction& i) {
  switch (i.op) {
    case Op::wait_:
    case Op::waitfor_:
    case Op::cwait_: wait(i); break;
    case Op::notify_: notify(i.x, false); break;
    case Op::notifyall_: notify(i.x, true); break;
    default: return false;
  }
  return true;
}

void Stepper::barrier(const Instruction& i) {
  Clock& clock = s().barrier[i.x];
  release(clock);
  if (++s().arrived[i.x] < i.y) {
    me().phase = kWaiting;
    return;
  }
  s().arrived[i.x] = 0;
  const Clock all = clock;
  clock = {};
  me().phase = kWaiting;
  for (int t = 0; t < kThreads; ++t) {
    Thread& th = s().thread[t];
    if (th.state != kLive || th.phase != kWaiting) continue;
    const Instruction& other = code_of(program_, s(), t).at[th.pc];
    if (other.op != Op::bar_ || other.x != i.x) continue;
    join_clock(th.clock, all);
    th.phase = kStart;
    ++th.pc;
    settle(t);
  }
}

bool Stepper::meeting(const Instruction& i) {
  Semaphore& q = s().q[i.x];
  switch (i.op) {
    case Op::post_: post(q), done(); break;
    case Op::acq_: take(q), done(); break;
    case Op::acqfor_: done(take(q)); break;
    case Op::tryacq_: {
      const bool did = take(q);
      if (!did && i.x == 1 && !rules_.may) acquire(q.clock);  // std::counting_semaphore reads its counter
      done(did);
      break;
    }
    case Op::bar_: barrier(i); break;
    default: return false;
  }
  return true;
}

bool Stepper::spin(const Instruction& i) {
  Atomic& a = s().a[i.x];
  switch (i.op) {
    case Op::spin_:
    case Op::spiny_: load(a, false), done(); break;
    case Op::spinc_:
      if (me().phase == kStart) me().r = 0, me().phase = kWoken;
      if (i.z == 0 || load(a, false) == i.y || ++me().r == i.z) done();
      break;
    case Op::casloop_: {
      const int seen = load(a, false);
      if (me().phase == kWoken && seen == me().r) {
        store(a, seen + 1, false, true);
        done();
      } else {
        me().r = static_cast<int8_t>(seen);
        me().phase = kWoken;
      }
      break;
    }
    case Op::yield_: done(); break;
    case Op::sleep_: me().phase = kWaiting; break;
    case Op::choose_: {
      const Next before = next_;
      for (int v = 0; v < i.x; ++v) {
        next_ = before;
        done(v);
        results_.push_back(next_);
      }
      break;
    }
    default: return false;
  }
  return true;
}

bool Stepper::on_heap(const Instruction& i) {
  if (i.op < Op::hload_ || i.op > Op::hfree_) return false;
  Heap& h = s().h[i.x];
  if (h.freed) return fail(kUndefined), true;
  if (i.op == Op::hfree_) {
    change(h.life, true);
    if (h.m.owner) return fail(kUndefined), true;
    h.freed = 1;
    return done(), true;
  }
  look(h.life, true);
  switch (i.op) {
    case Op::hload_: done(load(h.a, false)); break;
    case Op::hadd_: done(exchange(h.a, h.a.value + i.y, false)); break;
    case Op::hread_: look(h.p, true), done(h.p.value); break;
    case Op::hwrite_: change(h.p, true), h.p.value = static_cast<int8_t>(i.y), done(); break;
    case Op::hlock_:
      if (lock(h.m, false)) done();
      break;
    case Op::hunlock_: unlock(h.m), done(); break;
    case Op::hpost_: post(h.q), done(); break;
    case Op::hacq_:
      if (take(h.q)) done();
      break;
    default: done();
  }
  return true;
}

// Orders nothing: POSIX promises no more than that each call is atomic.
bool Stepper::process_state(const Instruction& i) {
  const auto bit = [](int n) { return static_cast<uint8_t>(1 << n); };
  const auto take = [&](uint8_t& set, int n) {
    const bool there = set & bit(n);
    set = static_cast<uint8_t>(set & ~bit(n));
    return there;
  };
  switch (i.op) {
    case Op::opn_: {
      int n = 0;
      while (s().descriptors & bit(n)) ++n;
      s().descriptors |= bit(n);
      done(n);
      break;
    }
    case Op::cls_: done(take(s().descriptors, i.x)); break;
    case Op::mk_: {
      const bool is_new = !(s().files & bit(i.x));
      s().files |= bit(i.x);
      done(is_new);
      break;
    }
    case Op::rm_: done(take(s().files, i.x)); break;
    case Op::has_: done(s().files >> i.x & 1); break;
    case Op::ren_: {
      const bool there = take(s().files, i.x);
      if (there) s().files |= bit(i.y);
      done(there);
      break;
    }
    case Op::mask_: done(std::exchange(s().mask, static_cast<uint8_t>(i.x))); break;
    case Op::senv_: s().variable = static_cast<uint8_t>(i.x), done(); break;
    case Op::uenv_: s().variable = 0, done(); break;
    case Op::genv_: done(s().variable); break;
    default: return false;
  }
  return true;
}

void Stepper::destroy(const Instruction& i) {
  uint8_t* destroyed = nullptr;
  bool used = false;
  switch (i.op) {
    case Op::dm_: destroyed = &s().m[i.x].destroyed, used = s().m[i.x].owner; break;
    case Op::ds_: destroyed = &s().s[i.x].destroyed, used = s().s[i.x].owner; break;
    case Op::dq_: destroyed = &s().q[i.x].destroyed; break;
    case Op::dw_:
      destroyed = &s().w[i.x].destroyed;
      used = s().w[i.x].writer || s().w[i.x].readers != std::array<uint8_t, kThreads>{};
      break;
    default:
      destroyed = &s().condition_destroyed[i.x];
      for (int t = 0; t < kThreads; ++t) used = used || waits_on(t, i.x);
  }
  if (*destroyed || used) return fail(kUndefined);
  *destroyed = 1;
  done();
}

void Stepper::leave(int code) {
  if (s().exiting) return exit_twice();
  s().exiting = static_cast<uint8_t>(t_ + 1);
  s().exit_code = static_cast<int8_t>(code);
  if (program_.code[kHandler].length == 0) return end_of_code();
  me().handler = 1;
  me().pc = 0, me().r = 0, me().phase = kStart, me().holds = 1;
  settle(t_);
}

void Stepper::end_of_code() {
  if (!s().exiting) return leave(0);  // main returns
  if (s().exiting != t_ + 1) return exit_twice();
  s().ended = 1;
  if (s().exit_code) fail(kExitCode);
}

bool Stepper::lifetime(const Instruction& i) {
  switch (i.op) {
    case Op::spawn_:
      s().thread[i.x].state = kLive;
      s().thread[i.x].clock = me().clock;
      s().thread[i.x].clock[i.x] = 1;
      s().thread[i.x].latest = s().latest;
      ++me().clock[t_];
      settle(i.x);
      done();
      break;
    case Op::join_:
      acquire(s().thread[i.x].clock);
      me().results[i.x] = s().thread[i.x].r;
      done();
      break;
    case Op::exit_: leave(i.x); break;
    case Op::qexit_:
      s().ended = 1;
      if (i.x) fail(kExitCode);
      break;
    case Op::abort_: fail(kAbort); break;
    case Op::abeg_: ++me().section, done(); break;
    case Op::aend_: me().section = 0, done(); break;
    default: destroy(i);
  }
  return true;
}

void Stepper::give_up() {
  const Instruction i = at();
  if (i.op == Op::sleep_) return done();
  if (i.op == Op::waitfor_) {
    me().extra = 1, me().phase = kWoken;
    return;
  }
  done(0);
}

}  // namespace falsifier
