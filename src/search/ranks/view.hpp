// Rank `view`: executions in which a thread will see what no thread has seen before go first. The view of a thread is
// the sequence of its operations and of the writers of the values that it read. An alternative that only changes the
// order of accesses that no thread observes shows nothing new, however different the order.
//
// The view is predicted from the execution that the alternative departs from: the thread that runs instead does what it
// did, only earlier, and the preempted thread continues after it. Threads and writers are identified by what they did,
// not by number, so a hundred threads that do the same count as one.
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
  // 0: a new view; otherwise more, the more often the view has been promised before.
  uint64_t of(const ExecutionView& execution, const Alternative& a) override;
  uint64_t memory_bytes() const { return 40 * (seen_.size() + promised_.size()); }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Write {
    uint32_t record;
    uint64_t source;  // what its thread had done before
    ThreadId thread;
    bool acquired;  // true: the write acquired the object
  };
  struct Past {  // state before a record or pending operation
    uint64_t did, view;
    ThreadId thread;
  };
  struct Overlay {  // writes of a predicted segment
    ObjectId object;
    uint64_t source;
  };

  uint64_t source_before(ObjectId object, uint32_t record) const;
  bool taken_by_another(ObjectId object, uint32_t record, ThreadId t) const;
  // Runs t from `step` on as in the execution. Returns the first new view, or 0.
  uint64_t foretell(const ExecutionView& execution, ThreadId t, uint32_t step);
  void learn(const Step& step, uint32_t record);
  void forget_from(uint32_t record);

  std::unordered_set<uint64_t> seen_;
  std::unordered_map<uint64_t, uint32_t> promised_;  // number of promises
  // Of the current execution.
  std::unordered_map<ObjectId, std::vector<Write>> writes_;
  std::vector<std::pair<uint32_t, ObjectId>> wrote_;  // the entries of writes_, ascending by record
  std::vector<Past> past_, now_;                      // by record; by thread
  std::vector<Overlay> overlay_;
  uint32_t work_ =
      0;  // operations that may still be predicted: a long execution has more alternatives than can be examined
};

}  // namespace lockstep
