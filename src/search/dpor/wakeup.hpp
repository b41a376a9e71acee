// Wakeup trees (Abdulla, Aronis, Jonsson & Sagonas 2014): inserts sequences of steps into the tree unless a node covers
// them already.
#pragma once
#include <span>
#include <vector>

#include "search/dpor/planner.hpp"

namespace lockstep::dpor {

class Wakeup {
 public:
  // Plans to run `sequence` instead of the steps from record `first` on. Returns false and plans nothing if this needs
  // a `whole` sequence and `whole` is false.
  bool insert(Path& path, Planner& planner, uint32_t first, std::span<const SequenceItem> sequence, bool whole = true);

  // Plans to run the thread of the second step first. The first step of the race ended the process, so nothing follows
  // it. If it failed, this was not known before, and sequences that it could have begun counted as covered by it. So
  // the second thread goes first even if other threads can begin with independent steps. A thread may then sleep
  // although it can begin what follows. Wakeup trees would miss executions there, so source sets explore everything
  // below the node.
  void go_first(Path& path, Planner& planner, const Race& race);

  // Lets source sets explore everything below a planned node, instead of its sequences. Sequences that have been run
  // cover all of it.
  void leave_to_source_sets(Planner& planner, uint32_t node);

 private:
  bool descend(uint32_t state, bool whole);
  uint32_t descend_choices(uint32_t node, uint32_t record);
  void summarize();
  // Can a step with this label begin the sequence (a weak initial)? `at`: its place in the sequence; the end if it is
  // not part of the sequence and independent of all its steps.
  bool can_begin(const Label& label, size_t& at) {
    const unsigned t = index_of(label.thread);
    if (t < 64 && threads_ >> t & 1) {
      at = first_[t];
      if (!(known_ >> t & 1)) check_initial(t);
      return initials_ >> t & 1;
    }
    if (t >= 64) return can_begin_far(label, at);
    at = rest_.size();
    return is_independent(label) || (!exact_ && is_independent_exactly(label));
  }
  void check_initial(unsigned thread);
  void remove(size_t at);
  // True: the label is certainly independent of all steps of the sequence, by the objects they use. If `exact_`, false
  // is certain as well.
  bool is_independent(const Label& label) const {
    uint64_t conflicts = uint64_t{label.ends || ends_};
    for (unsigned i = 0; i < label.uses; ++i)
      conflicts |= bit(label.use[i] >> 1) & (label.use[i] & 1 ? used_ : written_);
    return conflicts == 0;
  }
  static uint64_t bit(uint32_t number) { return uint64_t{1} << (number & 63); }
  bool is_independent_exactly(const Label& label) const;
  bool can_begin_far(const Label& label, size_t& at) const;  // for a thread without a bit
  bool covered_by_sleep(std::span<const Label> sleep_set, uint32_t state);
  bool is_leaf(uint32_t node) const;
  void append(uint32_t state);
  void append_choices(uint32_t node, uint32_t record);
  void add_missing_choices(uint32_t node);
  void make_available(uint32_t node);

  Path* path_ = nullptr;
  Planner* planner_ = nullptr;
  uint32_t record_ = 0;             // of the state in which the sequence starts
  uint32_t root_ = 0;               // the state in which the sequence starts
  std::vector<SequenceItem> rest_;  // the rest of the sequence
  size_t left_ = 0;                 // number of items not taken out; those taken out have thread kTakenOut
  // A summary, because most labels compared with a sequence are independent of it or begin it. It has the objects that
  // the steps use and write, by hash, and whether a step ends the process. For the first 64 threads it has which of
  // them have steps, where the first step is, and (for threads in `known_`) whether that step is an initial.
  uint64_t used_ = 0, written_ = 0, threads_ = 0, known_ = 0, initials_ = 0;
  bool ends_ = false;
  bool exact_ = false;  // no two objects have the same hash, and no item has been taken out
  uint32_t first_[64];
  bool doubtful_ = false;  // passed a branch that may be able to begin the sequence, or followed an uncertain one
};

}  // namespace lockstep::dpor
