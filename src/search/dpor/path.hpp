// The current execution as a path through the tree: its happens-before order, and for every record the node, the sleep
// set and the preemptions before it. It finds the races that can be reversed and the sequences of steps that reverse
// them. It plans nothing.
//
// Records are appended one by one. The records of a prefix in common with the next execution stay, so an execution
// costs only its new records. Each lane of a search has a path, one of which is selected. Objects have the same numbers
// in all paths.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "analysis/path_fingerprint.hpp"
#include "model/plan.hpp"
#include "search/dpor/choice_tree.hpp"
#include "search/dpor/race_finder.hpp"

namespace lockstep::dpor {

// Step `next` could have come before record `first`.
struct Race {
  uint32_t first;
  const Event* next;
  Label did;     // the label of `next` in this execution
  Label might;   // its strongest label in any order
  uint32_t at;   // record of `next`; the end of the execution if it is pending
  uint32_t end;  // only records before this one are part of the sequence that reverses the race
};

// One step of a sequence that reverses a race.
struct SequenceItem {
  Label label;
  uint32_t record;         // where the step was seen; kNone: the second step of the race
  bool uncertain = false;  // the step may do less than the label says
};

// Planted mistakes: tests show that each of them is noticed.
struct Mistakes {
  bool observed_labels = false;     // plan a failed compare-and-swap as if it always failed
  bool overlooks = false;           // see RaceFinder
  bool forget_guided = false;       // in lanes, finish guided nodes before everything before them has finished
  bool all_siblings_sleep = false;  // in any order, let siblings sleep that have not been handed out
};

class Path {
 public:
  Path(ChoiceTree& tree, unsigned lanes, bool sleep_sets, const Mistakes& mistakes);

  // Starts with `trace`, which differs from all earlier traces from node `head` on. Afterwards the path has the records
  // before `head`.
  void begin(TraceView trace, uint32_t head);
  void append(uint32_t node);  // appends the next record; kNone: a note
  void truncate(uint32_t size) { now_.truncate(size); }
  void clear();  // clears the paths of all lanes
  void disable_sleep_sets() { sleep_sets_ = false; }

  unsigned lane() const { return lane_; }
  void select(unsigned lane);

  // The execution.
  TraceView trace() const { return *trace_; }
  uint32_t end() const { return end_; }            // records from here on order nothing
  uint32_t stuck_at() const { return stuck_at_; }  // from here on there are only rounds of spin loops, or no records
  // The step that ended the process while other threads could run, or kNone.
  uint32_t ending() const { return ending_; }
  bool enabled(uint32_t record, ThreadId t) const { return trace_->enabled(trace_->steps()[record]).contains(t); }

  // The records examined so far.
  uint32_t size() const { return static_cast<uint32_t>(now_.records.size()); }
  const HappensBefore& order() const { return now_.order; }
  HappensBefore& order() { return now_.order; }  // for numbering objects
  uint64_t fingerprint() const { return now_.fingerprint.value(); }
  uint32_t node(uint32_t record) const { return now_.records[record].node; }
  uint32_t state(uint32_t record) const { return tree_[now_.records[record].node].parent; }  // before the record
  // Of a thread: not a note, not a data choice.
  bool is_step(uint32_t record) const { return now_.records[record].step; }
  bool by_default(uint32_t record) const { return now_.records[record].by_default; }
  uint32_t preemptions(uint32_t record) const { return now_.records[record].preemptions; }  // before the record
  uint32_t preemptions_through(uint32_t record) const {                                     // including the step
    return now_.records[record].preemptions + now_.records[record].cost;
  }
  bool is_certain() const {  // the steps do the same in any order
    return failing_ == kNone && !now_.records.empty() && !now_.records.back().uncertain;
  }
  std::span<const Label> sleep_set(uint32_t record) const {
    return {now_.sleepers.data() + now_.records[record].sleep_begin,
            now_.records[record].sleep_end - now_.records[record].sleep_begin};
  }
  bool sleeps(uint32_t record, ThreadId t) const {
    return std::ranges::any_of(sleep_set(record), [t](const Label& sleeper) { return sleeper.thread == t; });
  }
  void plan_sleep_set(uint32_t head, Plan& plan) const;  // sets the sleep set of the state in which `head` is taken

  // Races. Spans are valid until the next call.
  Label pending_label(uint32_t record, ThreadId t) const;  // of a thread's next step in the state before `record`
  // The records that `next` could come before. `at`, `end`: as in Race; `blocked`: `next` is pending and not enabled.
  std::span<const uint32_t> races(const Event& next, uint32_t at, uint32_t end, bool blocked) {
    finder_.find(next, end, blocked, next.kind == OpKind::ProcessExit, found_);
    return found_.empty() ? std::span<const uint32_t>() : reversible(next, at);
  }
  // The steps after the first step of the race that do not depend on it, then the second step. Empty if the race cannot
  // be reversed.
  std::span<SequenceItem> sequence(const Race& race);
  uint32_t choice_after(uint32_t record) const {  // the next data choice of the step that contains `record`
    const bool has_none = !now_.records.empty() && !now_.records.back().chose && now_.records.size() >= end_;
    return has_none ? kNone : find_choice_after(record);
  }

  uint64_t memory_bytes() const { return now_.memory_bytes() + other_bytes_; }

 private:
  struct alignas(16) Record {
    uint32_t node = kNone;  // kNone for a note
    // Of the node, which may have been replaced by another with the same number.
    uint32_t birth = 0;
    uint32_t sleep_begin = 0, sleep_end = 0;  // the sleep set before it
    uint32_t preemptions = 0;                 // before it
    ThreadId running = kNoThread;             // the thread of the previous step, and whether that step was a yield
    bool yielded = false;
    uint8_t cost = 0;         // preemptions of this step: 0 or 1
    bool by_default = false;  // the default schedule takes it as well
    bool uncertain = false;   // this or an earlier record may act differently in another order
    bool spun = false;        // this or an earlier record may be a round of a spin loop
    bool chose = false;       // this or an earlier record is a data choice
    bool step = false;        // of a thread: neither a note nor a data choice
  };
  static_assert(sizeof(Record) == 32);

  // The state after a prefix of the execution.
  struct Prefix {
    HappensBefore order;
    PathFingerprint fingerprint;
    std::vector<Record> records;
    std::vector<Label> sleepers;  // the sleep sets of all records
    uint64_t bytes = 0;           // while the lane is not selected

    void truncate(uint32_t size);
    uint64_t memory_bytes() const {
      return order.memory_bytes() + records.capacity() * sizeof(Record) + sleepers.capacity() * sizeof(Label);
    }
  };

  bool holds(uint32_t node) const {
    const uint32_t record = tree_[node].record;
    return record < size() && now_.records[record].node == node && now_.records[record].birth == tree_[node].birth;
  }
  void load_prefix(uint32_t head);
  void find_end();
  void find_failure();
  void add_sleep_set_after(uint32_t node, size_t begin, size_t end, std::vector<Label>& sleepers) const;
  std::span<const uint32_t> reversible(const Event& next, uint32_t at);  // filters the races found
  uint32_t find_choice_after(uint32_t record) const;
  uint32_t change_before(const Event& round, uint32_t record);
  bool is_next_round(uint32_t record, const Event& next, uint32_t at);
  uint32_t taker_before(const Event& next, uint32_t record) const;
  bool leave_out_rounds(const Race& race);

  ChoiceTree& tree_;
  bool sleep_sets_, all_siblings_sleep_;
  Prefix now_;
  unsigned lane_ = 0;
  std::vector<Prefix> lanes_;       // the selected lane's entry is unused
  uint64_t other_bytes_ = 0;        // of the lanes that are not selected
  std::vector<ObjectId> numbered_;  // objects by number
  std::optional<TraceView> trace_;
  uint32_t end_ = 0, stuck_at_ = 0, ending_ = kNone;
  uint32_t failing_ = kNone;  // the step that failed, or kNone
  RaceFinder finder_{now_.order};
  std::vector<uint32_t> found_, races_;
  std::vector<SequenceItem> sequence_;
  std::vector<uint32_t> left_out_;  // records left out of the sequence because of spin loops
  mutable std::vector<uint32_t> chain_;
  mutable std::vector<Label> asleep_;
};

}  // namespace lockstep::dpor
