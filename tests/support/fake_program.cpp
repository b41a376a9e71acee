#include "fake_program.hpp"

#include <algorithm>

namespace lockstep::fake {
namespace {

Instruction visible(OpKind kind, Expr object, int reg = 0, Expr first = 0, Expr second = 0) {
  return {
      .kind = kind, .object = std::move(object), .first = std::move(first), .second = std::move(second), .reg = reg};
}

}  // namespace

Instruction ld(Expr x, int reg) { return visible(OpKind::Load, std::move(x), reg); }
Instruction st(Expr x, Expr value) { return visible(OpKind::Store, std::move(x), 0, std::move(value)); }
Instruction rmw(Expr x, Update update, int reg) {
  Instruction i = visible(OpKind::Rmw, std::move(x), reg);
  i.update = std::move(update);
  return i;
}
Instruction cas(Expr x, Expr expected, Expr desired, int reg) {
  return visible(OpKind::Cas, std::move(x), reg, std::move(expected), std::move(desired));
}
Instruction lock(Expr m) { return visible(OpKind::Lock, std::move(m)); }
Instruction unlock(Expr m) { return visible(OpKind::Unlock, std::move(m)); }
Instruction trylock(Expr m, int reg) { return visible(OpKind::TryLock, std::move(m), reg); }
Instruction cond_wait(Expr c, Expr m) { return visible(OpKind::CondWait, std::move(c), 0, std::move(m)); }
Instruction signal(Expr c) { return visible(OpKind::CondSignal, std::move(c)); }
Instruction broadcast(Expr c) { return visible(OpKind::CondBroadcast, std::move(c)); }
Instruction sem_wait(Expr s) { return visible(OpKind::SemWait, std::move(s)); }
Instruction sem_trywait(Expr s, int reg) { return visible(OpKind::SemTryWait, std::move(s), reg); }
Instruction sem_post(Expr s) { return visible(OpKind::SemPost, std::move(s)); }
Instruction read_lock(Expr rw) { return visible(OpKind::ReadLock, std::move(rw)); }
Instruction write_lock(Expr rw) { return visible(OpKind::WriteLock, std::move(rw)); }
Instruction try_read_lock(Expr rw, int reg) { return visible(OpKind::TryReadLock, std::move(rw), reg); }
Instruction try_write_lock(Expr rw, int reg) { return visible(OpKind::TryWriteLock, std::move(rw), reg); }
Instruction read_unlock(Expr rw) { return visible(OpKind::ReadUnlock, std::move(rw)); }
Instruction write_unlock(Expr rw) { return visible(OpKind::WriteUnlock, std::move(rw)); }
Instruction once_enter(Expr o, int reg) { return visible(OpKind::OnceEnter, std::move(o), reg); }
Instruction once_exit(Expr o) { return visible(OpKind::OnceExit, std::move(o)); }
Instruction look_at_semaphore(Expr s, int reg) {
  Instruction i = ld(std::move(s), reg);
  i.at = OpKind::SemWait;
  return i;
}
Instruction look_at_once(Expr o, int reg) {
  Instruction i = ld(std::move(o), reg);
  i.at = OpKind::OnceEnter;
  return i;
}
Instruction barrier(Expr b, Expr count, int reg) {
  return visible(OpKind::BarrierArrive, std::move(b), reg, std::move(count));
}
Instruction yield() { return visible(OpKind::Yield, 0); }
Instruction exit_process() { return visible(OpKind::ProcessExit, 0); }
Instruction choice(Expr n, int reg) { return visible(OpKind::Choose, std::move(n), reg); }
Instruction jump(Expr target) { return {.local = Local::Jump, .first = std::move(target)}; }
Instruction set(int reg, Expr value) { return {.local = Local::Set, .first = std::move(value), .reg = reg}; }
Instruction check(Expr holds, const char* message) {
  return {.local = Local::Assert, .first = std::move(holds), .message = message};
}

ObjectId object_of(OpKind kind, Value index) {
  uint64_t base = 0x1000;
  switch (kind) {
    case OpKind::Lock:
    case OpKind::Unlock:
    case OpKind::TryLock:
    case OpKind::Reacquire: base = 0x2000; break;
    case OpKind::CondWait:
    case OpKind::CondSignal:
    case OpKind::CondBroadcast: base = 0x3000; break;
    case OpKind::SemWait:
    case OpKind::SemTryWait:
    case OpKind::SemPost: base = 0x4000; break;
    case OpKind::ReadLock:
    case OpKind::WriteLock:
    case OpKind::TryReadLock:
    case OpKind::TryWriteLock:
    case OpKind::ReadUnlock:
    case OpKind::WriteUnlock: base = 0x5000; break;
    case OpKind::OnceEnter:
    case OpKind::OnceExit: base = 0x6000; break;
    case OpKind::BarrierArrive:
    case OpKind::BarrierLeave: base = 0x7000; break;
    default: break;
  }
  return ObjectId{base + 8 * static_cast<uint64_t>(index)};
}

Machine::Machine(const Program& program) : program_(&program), thread_(program.threads.size()) {
  owner_.fill(-1);
  semaphore_.fill(0);
  once_.fill(-1);
  for (const auto& [s, value] : program.semaphores) semaphore_[static_cast<size_t>(s)] = value;
  for (unsigned t = 0; t < threads(); ++t) run_local(t);
}

Value& Machine::memory(Value x) {
  if (static_cast<size_t>(x) >= memory_.size()) memory_.resize(static_cast<size_t>(x) + 1, 0);
  return memory_[static_cast<size_t>(x)];
}

std::vector<unsigned> Machine::waiters(Value condition) const {
  std::vector<unsigned> found;
  for (unsigned t = 0; t < threads(); ++t)
    if (thread_[t].waits_on == condition) found.push_back(t);
  return found;
}

void Machine::run_local(unsigned t) {
  Thread& me = thread_[t];
  while (!done(t) && next(t).local != Local::No) {
    const Instruction& i = next(t);
    const Value value = i.first(me.registers);
    ++me.pc;
    if (i.local == Local::Jump && value >= 0) me.pc = static_cast<size_t>(value);
    if (i.local == Local::Set) me.registers[static_cast<size_t>(i.reg)] = value;
    if (i.local == Local::Assert && !value && !error_) {
      error_ = i.message;
      culprit_ = thread_id(t);
    }
  }
}

bool Machine::blocked(unsigned t) const {
  const Thread& me = thread_[t];
  const Instruction& i = next(t);
  const auto object = static_cast<size_t>(i.object(me.registers));
  switch (i.kind) {
    case OpKind::Lock: return owner_[object] >= 0;
    case OpKind::CondWait:
      if (me.waits_on >= 0) return true;
      return me.woken && owner_[static_cast<size_t>(i.first(me.registers))] >= 0;
    case OpKind::SemWait: return semaphore_[object] <= 0;
    case OpKind::ReadLock: return rwlock_[object].writer >= 0;
    case OpKind::WriteLock: return rwlock_[object].writer >= 0 || !rwlock_[object].readers.empty();
    case OpKind::OnceEnter: return once_[object] >= 0;
    case OpKind::BarrierArrive: return me.arrived_at >= 0;
    default: return false;
  }
}

bool Machine::any_enabled() const {
  for (unsigned t = 0; t < threads(); ++t)
    if (enabled(t)) return true;
  return false;
}

unsigned Machine::choices(unsigned t) const {
  const Instruction& i = next(t);
  const Value object = i.object(thread_[t].registers);
  if (i.kind == OpKind::Choose) return static_cast<unsigned>(object);
  if (i.kind == OpKind::CondSignal) return std::max<unsigned>(1, static_cast<unsigned>(waiters(object).size()));
  return 1;
}

Step Machine::pending(unsigned t) const {
  const Thread& me = thread_[t];
  const Instruction& i = next(t);
  const Value index = i.object(me.registers);
  Step s{};
  s.thread = thread_id(t);
  s.kind = i.kind;
  s.object = object_of(i.kind == OpKind::Load ? i.at : i.kind, index);
  const auto o = static_cast<size_t>(index);
  const auto conditional = [&s](bool succeeds) { s.flags |= Step::kConditional | (succeeds ? Step::kWrite : 0); };
  switch (i.kind) {
    case OpKind::Cas: {
      const Value now = o < memory_.size() ? memory_[o] : 0;
      conditional(now == i.first(me.registers));
      break;
    }
    case OpKind::TryLock: conditional(owner_[o] < 0); break;
    case OpKind::SemTryWait: conditional(semaphore_[o] > 0); break;
    case OpKind::TryReadLock: conditional(rwlock_[o].writer < 0); break;
    case OpKind::TryWriteLock: conditional(rwlock_[o].writer < 0 && rwlock_[o].readers.empty()); break;
    case OpKind::OnceEnter: conditional(once_[o] == -1); break;
    case OpKind::CondWait: {
      const ObjectId mutex = object_of(OpKind::Lock, i.first(me.registers));
      s.second = Companion::mutex(mutex);
      if (me.waits_on < 0 && !me.woken) break;
      s.kind = OpKind::Reacquire;
      s.second = Companion::condition(s.object);
      s.object = mutex;
      break;
    }
    case OpKind::Choose:  // reaching the choice is a step that touches nothing; the value is a record of its own
      s.kind = OpKind::Fence;
      s.object = kNoObject;
      break;
    case OpKind::BarrierArrive:
      if (me.arrived_at >= 0) s.kind = OpKind::BarrierLeave;
      break;
    case OpKind::ProcessExit: s.object = kNoObject; break;
    case OpKind::Yield:
      s.object = kNoObject;
      s.flags |= Step::kYield;
      break;
    default: break;
  }
  if (i.kind == OpKind::SemWait || i.kind == OpKind::SemPost || i.kind == OpKind::SemTryWait)
    s.second = Companion::units(static_cast<uint64_t>(semaphore_[o]));
  return s;
}

Step Machine::step(unsigned t, unsigned choice) {
  Step s = pending(t);
  Thread& me = thread_[t];
  const Instruction& i = next(t);
  const Value index = i.object(me.registers);
  const auto o = static_cast<size_t>(index);
  Value& result = me.registers[static_cast<size_t>(i.reg)];
  const bool succeeds = s.flags & Step::kWrite;
  const int self = static_cast<int>(t);
  me.yielded = i.kind == OpKind::Yield;
  let_go_.clear();
  switch (s.kind) {
    case OpKind::Load:
      result = i.at == OpKind::SemWait ? semaphore_[o] : i.at == OpKind::OnceEnter ? once_[o] == -2 : memory(index);
      break;
    case OpKind::BarrierArrive: {
      for (unsigned w = 0; w < threads(); ++w)
        if (thread_[w].arrived_at == static_cast<int>(index)) let_go_.push_back(w);
      result = let_go_.size() + 1 == static_cast<size_t>(i.first(me.registers));
      if (!result) {
        let_go_.clear();
        me.arrived_at = static_cast<int>(index);
        return s;  // the instruction ends when the last one comes
      }
      for (const unsigned w : let_go_) {
        thread_[w].arrived_at = -1;
        ++thread_[w].pc;
        run_local(w);
      }
      break;
    }
    case OpKind::Store: memory(index) = i.first(me.registers); break;
    case OpKind::Rmw: {
      const Value old = memory(index);
      memory(index) = i.update(old, me.registers);
      result = old;
      break;
    }
    case OpKind::Cas:
      if (succeeds) memory(index) = i.second(me.registers);
      result = succeeds;
      break;
    case OpKind::Lock: owner_[o] = self; break;
    case OpKind::Unlock: owner_[o] = -1; break;
    case OpKind::TryLock:
      if (succeeds) owner_[o] = self;
      result = succeeds;
      break;
    case OpKind::CondWait:
      owner_[static_cast<size_t>(i.first(me.registers))] = -1;
      me.waits_on = static_cast<int>(index);
      return s;  // the instruction ends with the reacquisition
    case OpKind::Reacquire:
      owner_[static_cast<size_t>(i.first(me.registers))] = self;
      me.woken = false;
      break;
    case OpKind::CondSignal:
      if (const auto queue = waiters(index); !queue.empty()) {
        Thread& woken = thread_[queue[choice]];
        woken.waits_on = -1;
        woken.woken = true;
        s.second = Companion::woken(thread_id(queue[choice]));
      }
      break;
    case OpKind::CondBroadcast:
      for (const unsigned w : waiters(index)) {
        thread_[w].waits_on = -1;
        thread_[w].woken = true;
      }
      break;
    case OpKind::SemWait: --semaphore_[o]; break;
    case OpKind::SemPost: ++semaphore_[o]; break;
    case OpKind::SemTryWait:
      if (succeeds) --semaphore_[o];
      result = succeeds;
      break;
    case OpKind::ReadLock:
    case OpKind::TryReadLock:
      if (s.kind == OpKind::ReadLock || succeeds) {
        rwlock_[o].readers.push_back(self);
        std::sort(rwlock_[o].readers.begin(), rwlock_[o].readers.end());
      }
      if (s.kind == OpKind::TryReadLock) result = succeeds;
      break;
    case OpKind::WriteLock: rwlock_[o].writer = self; break;
    case OpKind::TryWriteLock:
      if (succeeds) rwlock_[o].writer = self;
      result = succeeds;
      break;
    case OpKind::ReadUnlock: std::erase(rwlock_[o].readers, self); break;
    case OpKind::WriteUnlock: rwlock_[o].writer = -1; break;
    case OpKind::OnceEnter:
      if (succeeds) once_[o] = self;
      result = succeeds;
      break;
    case OpKind::OnceExit: once_[o] = -2; break;
    case OpKind::ProcessExit: exited_ = true; break;
    case OpKind::Fence: result = choice; break;
    default: break;
  }
  ++me.pc;
  run_local(t);
  return s;
}

Outcome Machine::outcome() const {
  if (error_) return Outcome::Assertion;
  if (exited_) return Outcome::Ok;
  for (unsigned t = 0; t < threads(); ++t)
    if (!done(t)) return Outcome::Deadlock;
  if (!program_->final) return Outcome::Ok;
  std::vector<Value> memory = memory_;
  memory.resize(std::max<size_t>(memory.size(), kObjects), 0);
  return program_->final(memory) ? Outcome::Ok : Outcome::Assertion;
}

std::vector<Value> Machine::key() const {
  std::vector<Value> key;
  for (const Thread& t : thread_) {
    key.push_back(static_cast<Value>(t.pc));
    key.insert(key.end(), t.registers.begin(), t.registers.end());
    key.push_back(t.waits_on);
    key.push_back(t.arrived_at);
    key.push_back(t.woken);
    key.push_back(t.yielded);
  }
  key.insert(key.end(), owner_.begin(), owner_.end());
  key.insert(key.end(), semaphore_.begin(), semaphore_.end());
  key.insert(key.end(), once_.begin(), once_.end());
  for (const RwLock& l : rwlock_) {
    key.push_back(l.writer);
    key.push_back(static_cast<Value>(l.readers.size()));
    key.insert(key.end(), l.readers.begin(), l.readers.end());
  }
  key.push_back(error_ != nullptr);
  key.push_back(exited_);
  size_t used = memory_.size();  // variables nobody wrote are 0, however many there are
  while (used > 0 && memory_[used - 1] == 0) --used;
  key.insert(key.end(), memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(used));
  return key;
}

}  // namespace lockstep::fake
