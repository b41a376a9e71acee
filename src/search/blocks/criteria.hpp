// The conditions under which the orders of atomic blocks cover all executions of a program (ExitBlock's testing
// criteria). They are checked by the operations of every execution.
//
// Why orders of blocks are enough (Lipton's reduction): every operation of a block but the last can be moved later,
// past the operations of other threads, without a visible change. That holds for taking a lock and for accesses to data
// that the thread's locks protect. The operation that ends a block may be of any kind. So an operation is covered if it
// takes a lock, accesses protected data or ends its block; docs/decisions/0005 has the table.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/trace.hpp"
#include "search/base/saved_state.hpp"
#include "search/blocks/held_locks.hpp"

namespace lockstep {

struct Criterion {
  enum Kind : uint8_t {
    Operation,     // an operation that the method does not cover
    Atomic,        // threads share an atomic without a common lock
    Notification,  // a thread notifies under another lock than that of the waits
    Memory,        // threads share plain memory without a common lock
    Timeout,       // a wait that can time out
    Order,         // the order of steps matters for a reason that operations do not show
    Deadlock,      // locks are taken in orders that can deadlock, and predicted deadlocks are not run
  };
  Kind kind;
  OpKind operation = OpKind::Choose;  // of the first violation
  Reason reason = Reason::Unknown;    // for Order
  ObjectId object = kNoObject;        // of the first violation
  bool same_as(const Criterion& o) const {
    return kind == o.kind && reason == o.reason && (kind != Operation || operation == o.operation);
  }
};

// As the object of "does not cover": "try-lock", "waits that can time out".
std::string criterion_text(const Criterion& criterion);

class Criteria {
 public:
  void check(TraceView trace);
  void add(const Criterion& criterion);  // unless there is an equal one
  const std::vector<Criterion>& unmet() const { return unmet_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  // How threads used an object: an atomic, or a condition variable.
  struct Use {
    ThreadId first = kNoThread;
    bool shared = false, written = false, known = false, waited = false, notified = false;
    std::vector<HeldLock> locks;  // held at every use so far; exclusive: at every write
  };

  void check_locks(TraceView trace);
  void use(const Step& step, const std::vector<HeldLock>& held);

  std::vector<Criterion> unmet_;
  std::map<ObjectId, Use> uses_;
};

}  // namespace lockstep
