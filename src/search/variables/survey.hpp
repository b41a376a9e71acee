// The survey of shared variables: finds in executions what at least two threads access and one of them writes. Locks
// and other synchronisation objects are variables, too.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/plan.hpp"
#include "model/variable.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

struct SharedVariable {
  VariableId id;
  std::vector<TrackedRange> where;  // in the order seen; several for a heap variable that has moved
  bool replaced = false;            // by a later entry for the same variable, with more places
  bool contains(uint64_t address) const {
    return std::any_of(where.begin(), where.end(), [&](const TrackedRange& r) { return r.contains(address); });
  }
};

// What counts as one variable on the heap: an element of a block, a block, or all blocks allocated with the same call
// stack.
enum class HeapVariable : uint8_t { Element, Block, Site };

// Is `object` of this execution one of the variables in the user's focus?
using PointsAt = std::function<bool(TraceView trace, ObjectId object)>;

// The global variable that contains an address; size 0 if there is none.
using GlobalAt = std::function<TrackedRange(uint64_t address)>;

class VariableSurvey {
 public:
  // `last_iteration`: variables of later iterations of the loop that allocates them are left out.
  explicit VariableSurvey(std::optional<uint32_t> last_iteration = {}, HeapVariable heap = HeapVariable::Element,
                          PointsAt focus = {}, GlobalAt globals = {})
      : last_iteration_(last_iteration), heap_(heap), focus_(std::move(focus)), globals_(std::move(globals)) {}

  // Executions with Plan::survey contain plain accesses, others only visible operations. Executions with Plan::origins
  // identify heap variables whatever their addresses.
  void look(TraceView trace);

  // Orders the variables: focus first, then by iteration of the allocating loop, because the first iteration is
  // representative. Data come before locks and the like, which all threads use and which are seldom wrong. Then
  // variables that most threads share come first: what main passes to a thread is used by two. Otherwise in the order
  // in which they became shared. Called once; later variables are added at the end, so that numbers do not change.
  void settle();
  const std::vector<SharedVariable>& shared() const { return shared_; }
  std::vector<size_t> in_focus() const;              // of the shared ones
  size_t count() const { return count_; }            // without those that are replaced
  size_t left_out() const { return left_out_; }      // shared, of later iterations
  unsigned threads() const { return threads_; }      // one above the largest name seen
  uint64_t changes() const { return changes_; }      // how often a shared variable was added or found at another place
  uint64_t overflows() const { return overflows_; }  // executions in which a thread touched too much to be recorded

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Known {
    std::vector<TrackedRange> where{};
    std::set<ThreadId> threads{};
    bool data = false, written = false, in_focus = false;
    size_t number = kNone;  // index among the shared variables; kNone: not shared so far
  };
  static constexpr size_t kNone = ~size_t{0}, kLeftOut = kNone - 1;
  void note(TraceView trace, uint64_t address, uint64_t size, ThreadId thread, bool write, bool data);
  void share(const VariableId& id, Known& v, TraceView trace);

  std::optional<uint32_t> last_iteration_;
  HeapVariable heap_;
  PointsAt focus_;
  GlobalAt globals_;   // a global is one variable, not each of its elements
  HeapBlocks blocks_;  // of the current execution
  std::map<VariableId, Known> known_;
  std::vector<SharedVariable> shared_;
  bool settled_ = false;
  size_t count_ = 0, left_out_ = 0;
  uint64_t changes_ = 0, overflows_ = 0;
  unsigned threads_ = 1;
};

}  // namespace lockstep
