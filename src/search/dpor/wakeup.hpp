// Sequences of steps into the tree of what is to be explored, unless something there covers them already.
#pragma once
#include <span>
#include <vector>

#include "search/dpor/planner.hpp"

namespace lockstep::dpor {

class Wakeup {
 public:
  // Plans to run `sequence` instead of what was run from record `first` on. False, and nothing is planned, if that
  // takes a `whole` sequence and this one is not.
  bool insert(Path& path, Planner& planner, uint32_t first, std::span<const SequenceItem> sequence, bool whole = true);

  // The first step of the race ended the process, so nothing follows it after all. If it failed, that was not known
  // before, and sequences it could have begun were taken for covered by it. So the thread of the second step is to go
  // first, even if others can begin with what does not matter to it. Somebody may sleep then who can begin what
  // follows; wakeup trees would miss things there, so everything below it is left to source sets.
  void go_first(Path& path, Planner& planner, const Race& race);

  // Leaves to source sets what can follow a planned node, sequences or not. Those that have been run cover all of it.
  void leave_to_source_sets(Planner& planner, uint32_t node);

 private:
  bool descend(uint32_t state, bool whole);
  uint32_t descend_choices(uint32_t node, uint32_t record);
  void summarize();
  // Can a step with this label begin the sequence (a weak initial)? `at`: its place in the sequence, the end if it is
  // not in there but independent of all that is.
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
  // For sure independent of all steps of the sequence, as far as it goes by what they use. If `exact_`, false is for
  // sure, too.
  bool is_independent(const Label& label) const {
    uint64_t conflicts = uint64_t{label.ends || ends_};
    for (unsigned i = 0; i < label.uses; ++i)
      conflicts |= bit(label.use[i] >> 1) & (label.use[i] & 1 ? used_ : written_);
    return conflicts == 0;
  }
  static uint64_t bit(uint32_t number) { return uint64_t{1} << (number & 63); }
  bool is_independent_exactly(const Label& label) const;
  bool can_begin_far(const Label& label, size_t& at) const;  // of a thread that has no bit
  bool covered_by_sleep(std::span<const Label> sleep_set, uint32_t state);
  bool is_leaf(uint32_t node) const;
  void append(uint32_t state);
  void append_choices(uint32_t node, uint32_t record);
  void add_missing_choices(uint32_t node);
  void make_available(uint32_t node);

  Path* path_ = nullptr;
  Planner* planner_ = nullptr;
  uint32_t record_ = 0;             // of the state the sequence starts from
  uint32_t root_ = 0;               // that state
  std::vector<SequenceItem> rest_;  // of the sequence
  size_t left_ = 0;                 // of it; what was taken out stays, as nobody's
  // Most of what is compared with a sequence has nothing to do with it, or is its beginning: what its steps use and
  // write, by hash; whether one ends the process; of the first 64 threads, whose they are, where the first one of each
  // is and, as far as `known_`, whether it can begin.
  uint64_t used_ = 0, written_ = 0, threads_ = 0, known_ = 0, initials_ = 0;
  bool ends_ = false;
  bool exact_ = false;  // no two objects have the same hash, and nothing has been taken out
  uint32_t first_[64];
  bool doubtful_ = false;  // a branch was passed by that perhaps could have begun it, or an uncertain one was followed
};

}  // namespace lockstep::dpor
