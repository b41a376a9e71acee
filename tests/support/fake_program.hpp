// A language for tiny concurrent programs, and the machine that runs them one step at a time: what the tests of the
// search use instead of a real program. A step is one visible operation; local code is glued to the visible
// operation before it; all threads exist from the start and main only waits for them to end.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/trace.hpp"

namespace lockstep::fake {

using Value = int64_t;
using Registers = std::array<Value, 6>;

// A constant or a function of the thread's registers.
class Expr {
 public:
  Expr(int constant = 0) : constant_(constant) {}
  template <class F>
  requires std::is_invocable_r_v<Value, F, const Registers&> Expr(F function) : function_(std::move(function)) {}
  Value operator()(const Registers& r) const { return function_ ? function_(r) : constant_; }

 private:
  Value constant_ = 0;
  std::function<Value(const Registers&)> function_;
};

using Update = std::function<Value(Value old, const Registers&)>;

enum class Local : uint8_t { No, Jump, Set, Assert };

struct Instruction {
  Local local = Local::No;
  OpKind kind = OpKind::Yield;  // of a visible one; Choose: choice(n)
  OpKind at = OpKind::Load;     // Load: what kind of object is looked at
  Expr object{}, first{}, second{};
  Update update{};
  int reg = 0;
  const char* message = "";
};

// Visible. Objects are small numbers, one numbering per kind of object; `reg` gets the result.
Instruction ld(Expr x, int reg);
Instruction st(Expr x, Expr value);
Instruction rmw(Expr x, Update update, int reg);
Instruction cas(Expr x, Expr expected, Expr desired, int reg);
Instruction lock(Expr m);
Instruction unlock(Expr m);
Instruction trylock(Expr m, int reg);
Instruction cond_wait(Expr c, Expr m);
Instruction signal(Expr c);
Instruction broadcast(Expr c);
Instruction sem_wait(Expr s);
Instruction sem_trywait(Expr s, int reg);
Instruction sem_post(Expr s);
Instruction read_lock(Expr rw);
Instruction write_lock(Expr rw);
Instruction try_read_lock(Expr rw, int reg);
Instruction try_write_lock(Expr rw, int reg);
Instruction read_unlock(Expr rw);
Instruction write_unlock(Expr rw);
Instruction once_enter(Expr o, int reg);  // reg: 1 if this thread is to run the initialisation
Instruction once_exit(Expr o);
Instruction look_at_semaphore(Expr s, int reg);    // its value
Instruction look_at_once(Expr o, int reg);         // 1 if done
Instruction barrier(Expr b, Expr count, int reg);  // reg: 1 if this thread came last; leaving is part of that step
Instruction yield();
Instruction exit_process();
Instruction choice(Expr n, int reg);
// Local.
Instruction jump(Expr target);  // below 0: go on
Instruction set(int reg, Expr value);
Instruction check(Expr holds, const char* message);

using Code = std::vector<Instruction>;

struct Program {
  std::string name;
  std::vector<Code> threads;
  std::map<int, int> semaphores{};                                // initial values
  std::function<bool(const std::vector<Value>& memory)> final{};  // asserted by main in the end
};

ObjectId object_of(OpKind kind, Value index);
inline ThreadId thread_id(unsigned t) { return ThreadId(t + 1); }  // main is 0

// The state of a program between two steps. Threads are numbered 0..n-1 here.
class Machine {
 public:
  explicit Machine(const Program& program);

  unsigned threads() const { return static_cast<unsigned>(thread_.size()); }
  bool done(unsigned t) const { return thread_[t].pc >= program_->threads[t].size(); }
  bool enabled(unsigned t) const { return !error_ && !exited_ && !done(t) && !blocked(t); }
  bool exited() const { return exited_; }
  bool blocked(unsigned t) const;  // of a thread that is not done: its next step has to wait
  bool any_enabled() const;
  unsigned choices(unsigned t) const;  // data alternatives of the next step, at least 1
  bool yielded(unsigned t) const { return thread_[t].yielded; }
  Step pending(unsigned t) const;                                  // next operation, as a trace shows it
  Step step(unsigned t, unsigned choice);                          // runs it; the record has no `enabled`
  const std::vector<unsigned>& let_go() const { return let_go_; }  // who left a barrier in the last step, ascending
  Outcome outcome() const;                                         // when nothing is enabled
  const char* message() const { return error_ ? error_ : ""; }
  ThreadId culprit() const { return culprit_; }
  std::vector<Value> key() const;  // equal for equal states

 private:
  struct Thread {
    size_t pc = 0;
    Registers registers{};
    int waits_on = -1;    // condition variable, not woken
    int arrived_at = -1;  // barrier
    bool woken = false;
    bool yielded = false;
  };
  struct RwLock {
    int writer = -1;
    std::vector<int> readers;  // ascending
  };
  static constexpr int kObjects = 8;  // of each kind; variables grow as needed

  const Instruction& next(unsigned t) const { return program_->threads[t][thread_[t].pc]; }
  std::vector<unsigned> waiters(Value condition) const;  // ascending
  void run_local(unsigned t);
  Value& memory(Value x);

  const Program* program_;
  std::vector<Thread> thread_;
  std::vector<Value> memory_;
  std::array<int, kObjects> owner_, semaphore_, once_;  // once: -1 idle, -2 done, else who runs it
  std::array<RwLock, kObjects> rwlock_;
  std::vector<unsigned> let_go_;
  const char* error_ = nullptr;
  bool exited_ = false;
  ThreadId culprit_ = kNoThread;
};

}  // namespace lockstep::fake
