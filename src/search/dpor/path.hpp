// The execution under examination as a path through the tree: its happens-before order and, for every record, its node,
// its sleep set and the preemptions before it. Says which races of the execution can be reversed, and by which sequence
// of steps. Plans nothing.
//
// Records are appended one by one. Where the next execution has a prefix in common with this one, the records of that
// prefix stay, so an execution costs what it adds. There is one path for every lane of a search; one is selected.
// Objects have the same numbers in all of them.
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
  Label did;     // what `next` does where it is
  Label might;   // and at most, elsewhere
  uint32_t at;   // its record, or the end of the execution if it is pending
  uint32_t end;  // the sequence that reverses the race consists of records before this one
};

// One step of a sequence that reverses a race.
struct SequenceItem {
  Label label;
  uint32_t record;         // where it was seen; kNone: the second step of the race
  bool uncertain = false;  // it may do less than the label says
};

// Wrong on purpose: tests show that each of them is noticed.
struct Mistakes {
  bool observed_labels = false;  // plan a compare-and-swap that failed as if it had to fail again
  bool overlooks = false;        // see RaceFinder
  bool forget_guided = false;    // in lanes, finish what led to other sequences before everything before it is finished
  bool all_siblings_sleep = false;  // in any order, let siblings sleep that have not been handed out yet
};

class Path {
 public:
  Path(ChoiceTree& tree, unsigned lanes, bool sleep_sets, const Mistakes& mistakes);

  // Examine `trace`, which differs from all before it from node `head` on. Holds the records before `head` afterwards.
  void begin(TraceView trace, uint32_t head);
  void append(uint32_t node);  // the next record; kNone: a note
  void truncate(uint32_t size) { now_.truncate(size); }
  void clear();  // the paths of all lanes
  void disable_sleep_sets() { sleep_sets_ = false; }

  unsigned lane() const { return lane_; }
  void select(unsigned lane);

  // The execution.
  TraceView trace() const { return *trace_; }
  uint32_t end() const { return end_; }            // records from here on order nothing
  uint32_t stuck_at() const { return stuck_at_; }  // only rounds of spin loops are left from here on, or nothing
  uint32_t ending() const { return ending_; }      // the step that ended the process while others could go on, or kNone
  bool enabled(uint32_t record, ThreadId t) const { return trace_->enabled(trace_->steps()[record]).contains(t); }

  // The records examined so far.
  uint32_t size() const { return static_cast<uint32_t>(now_.records.size()); }
  const HappensBefore& order() const { return now_.order; }
  HappensBefore& order() { return now_.order; }  // to number objects
  uint64_t fingerprint() const { return now_.fingerprint.value(); }
  uint32_t node(uint32_t record) const { return now_.records[record].node; }
  uint32_t state(uint32_t record) const { return tree_[now_.records[record].node].parent; }  // before that record
  bool is_step(uint32_t record) const { return now_.records[record].step; }  // of a thread: no note, no data choice
  bool by_default(uint32_t record) const { return now_.records[record].by_default; }
  uint32_t preemptions(uint32_t record) const { return now_.records[record].preemptions; }  // before that record
  uint32_t preemptions_through(uint32_t record) const {                                     // that step included
    return now_.records[record].preemptions + now_.records[record].cost;
  }
  bool is_certain() const {  // the steps will do in any order what they did
    return failing_ == kNone && !now_.records.empty() && !now_.records.back().uncertain;
  }
  std::span<const Label> sleep_set(uint32_t record) const {
    return {now_.sleepers.data() + now_.records[record].sleep_begin,
            now_.records[record].sleep_end - now_.records[record].sleep_begin};
  }
  bool sleeps(uint32_t record, ThreadId t) const {
    return std::ranges::any_of(sleep_set(record), [t](const Label& sleeper) { return sleeper.thread == t; });
  }
  void plan_sleep_set(uint32_t head, Plan& plan) const;  // of the state in which `head` is taken

  // Races. Spans are valid until the next call.
  Label pending_label(uint32_t record, ThreadId t) const;  // of a thread's next step in the state before `record`
  // The records that `next` could have come before. `at`, `end`: as in Race; `blocked`: it is pending and cannot run.
  std::span<const uint32_t> races(const Event& next, uint32_t at, uint32_t end, bool blocked) {
    finder_.find(next, end, blocked, next.kind == OpKind::ProcessExit, found_);
    return found_.empty() ? std::span<const uint32_t>() : reversible(next, at);
  }
  // Steps after the first of the race that do not depend on it, then the second. Empty if there is no such sequence.
  std::span<SequenceItem> sequence(const Race& race);
  uint32_t choice_after(uint32_t record) const {  // the next data choice of the step that `record` is or belongs to
    const bool has_none = !now_.records.empty() && !now_.records.back().chose && now_.records.size() >= end_;
    return has_none ? kNone : find_choice_after(record);
  }

  uint64_t memory_bytes() const { return now_.memory_bytes() + other_bytes_; }

 private:
  struct alignas(16) Record {
    uint32_t node = kNone;                    // none for a note
    uint32_t birth = 0;                       // of the node; it may be gone, and another have its number
    uint32_t sleep_begin = 0, sleep_end = 0;  // the sleep set before it
    uint32_t preemptions = 0;                 // before it
    ThreadId running = kNoThread;             // who took the step before it, and whether that was a yield
    bool yielded = false;
    uint8_t cost = 0;         // of its own: 0 or 1
    bool by_default = false;  // the default schedule takes it, too
    bool uncertain = false;   // it or one before it might do something else in another order
    bool spun = false;        // it or one before it may be a round of a spin loop
    bool chose = false;       // it or one before it is a data choice
    bool step = false;        // of a thread: neither a note nor a data choice
  };
  static_assert(sizeof(Record) == 32);

  // What depends on the beginning of the execution.
  struct Prefix {
    HappensBefore order;
    PathFingerprint fingerprint;
    std::vector<Record> records;
    std::vector<Label> sleepers;  // the sleep sets of all records
    uint64_t bytes = 0;           // while it is not selected

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
  std::span<const uint32_t> reversible(const Event& next, uint32_t at);  // of the races found
  uint32_t find_choice_after(uint32_t record) const;
  uint32_t change_before(const Event& round, uint32_t record);
  bool is_next_round(uint32_t record, const Event& next, uint32_t at);
  uint32_t taker_before(const Event& next, uint32_t record) const;
  bool leave_out_rounds(const Race& race);

  ChoiceTree& tree_;
  bool sleep_sets_, all_siblings_sleep_;
  Prefix now_;
  unsigned lane_ = 0;
  std::vector<Prefix> lanes_;       // that of the selected one is unused
  uint64_t other_bytes_ = 0;        // of the lanes that are not selected
  std::vector<ObjectId> numbered_;  // objects by number
  std::optional<TraceView> trace_;
  uint32_t end_ = 0, stuck_at_ = 0, ending_ = kNone;
  uint32_t failing_ = kNone;  // the step that failed, if one did
  RaceFinder finder_{now_.order};
  std::vector<uint32_t> found_, races_;
  std::vector<SequenceItem> sequence_;
  std::vector<uint32_t> left_out_;  // records that are not in the sequence because of spin loops
  mutable std::vector<uint32_t> chain_;
  mutable std::vector<Label> asleep_;
};

}  // namespace lockstep::dpor
