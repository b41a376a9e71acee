// Rank `view`: executions in which a thread will see what no thread has seen first. What a thread has seen is its own
// operations and where each got its value from; an alternative that only changes the order of what nobody looks at
// shows nothing new, however different the order.
//
// What an alternative leads to is foretold from the execution it departs from: the thread that is let in goes on as it
// did, only earlier, and then the one it preempted goes on behind it. Threads and writers are known by what they did,
// not by number, so that a hundred threads that do the same count as one.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

class ViewRank final : public Rank {
 public:
  void look(const ExecutionView& execution) override;
  static constexpr uint64_t kNothingNew = 64;
  // 0 something new; more, the more often that has been promised before
  uint64_t of(const ExecutionView& execution, const Alternative& a) override;
  uint64_t memory_bytes() const { return 40 * (seen_.size() + promised_.size()); }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Write {
    uint32_t record;
    uint64_t source;  // what its thread had done by then
    ThreadId thread;
    bool acquired;  // the object has been taken by it
  };
  struct Past {  // before a record or pending operation
    uint64_t did, view;
    ThreadId thread;
  };
  struct Overlay {  // what a foretold segment has written
    ObjectId object;
    uint64_t source;
  };

  uint64_t source_before(ObjectId object, uint32_t record) const;
  bool taken_by_another(ObjectId object, uint32_t record, ThreadId t) const;
  // Lets t go on at `step` as it did; returns the first view that is new, or 0.
  uint64_t foretell(const ExecutionView& execution, ThreadId t, uint32_t step);
  void learn(const Step& step, uint32_t record);
  void forget_from(uint32_t record);

  std::unordered_set<uint64_t> seen_;
  std::unordered_map<uint64_t, uint32_t> promised_;  // how often
  // Of the execution that is looked at.
  std::unordered_map<ObjectId, std::vector<Write>> writes_;
  std::vector<std::pair<uint32_t, ObjectId>> wrote_;  // what stands in writes_, ascending by record
  std::vector<Past> past_, now_;                      // by record; by thread
  std::vector<Overlay> overlay_;
  uint32_t work_ =
      0;  // operations that may still be foretold: a long execution has more alternatives than can be looked at
};

}  // namespace lockstep
