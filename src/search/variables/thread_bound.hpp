// Searches the orders of few threads among many (Bindal, Bansal & Lal 2013, section 4): strict priorities, either all
// or enough random permutations that every order of every `threads` threads occurs with known probability. A preempted
// thread counts as another thread from there on.
//
// Only comparisons of priorities matter. So permutations that order the threads alike, up to the preemptions so far,
// are one execution (Group). A group splits where a preempted thread gets its next priority. If all permutations are
// tried, none is stored: a group splits by all places of the next priority. Of two executions in the same
// happens-before state with the same order of priorities, only one is continued.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analysis/bounds.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/base/saved_state.hpp"
#include "search/tree/state_cache.hpp"

namespace lockstep {

// Number of random permutations of n that show all orders of any t of them, with probability 1 - epsilon or more (Lemma
// 4.1, corrected by a factorial).
uint64_t permutations_needed(unsigned n, unsigned t, double epsilon);

struct ThreadBoundOptions {
  unsigned threads = 2;  // bound on the threads whose order matters
  unsigned all_threads = 1;
  uint32_t preemptions = 0;
  std::optional<std::vector<TrackedRange>> tracked{};  // preemptions next to accesses to this memory; none: anywhere
  double epsilon = 0.01;
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  bool cache = true;  // cache states
};

class ThreadBoundSearch {
 public:
  explicit ThreadBoundSearch(const ThreadBoundOptions& options);
  std::optional<Plan> next();
  void learn(TraceView trace);
  bool certain() const { return certain_; }  // all permutations are tried
  uint64_t open() const { return queue_.size() + later_.size(); }
  uint32_t deepest() const { return deepest_; }  // most preemptions of an execution so far
  bool good() const { return bad_ == 0; }        // no execution was lost or cut

  void save(StateWriter& out) const;
  void load(StateReader& in);  // for a new search with the same options

 private:
  // An execution of all permutations that order the remaining threads alike.
  struct Group {
    std::vector<uint32_t> ranking;       // threads, then what preempted threads become: highest priority first
    std::vector<uint32_t> permutations;  // those that order the threads so; empty: all are tried
    std::vector<uint32_t> changes;       // records at which the running thread gets the next priority
    std::vector<Delta> choices;          // data choices other than the first alternative
    uint32_t from = 0;                   // records before this one have been expanded
  };
  // The execution being expanded.
  struct Expansion {
    const Group& group;
    TraceView trace;
    std::vector<uint32_t> last;      // by thread: its last record; kNoStep: it has not ended
    std::vector<uint32_t> fragment;  // by thread: the entry of a permutation that is its priority
  };

  void draw_permutations(uint64_t count);
  bool is_near(const ScheduleCursor& at, ObjectId last) const;
  void expand(const Group& group, TraceView trace);
  void preempt(const Expansion& e, const ScheduleCursor& at);
  std::vector<ThreadId> by_priority(const Expansion& e, uint32_t record) const;
  bool visited(const Expansion& e, const ScheduleCursor& at, const Fingerprint& state);
  static void save(StateWriter& out, const Group& group);
  bool load(StateReader& in, Group& group) const;

  ThreadBoundOptions options_;
  std::vector<std::vector<uint32_t>>
      // Drawn permutations, of all threads and then of what preempted threads become.
      permutations_;
  std::vector<uint32_t> next_ranking_;           // order of the threads in the next first group; empty: none
  std::deque<Group> queue_, later_, in_flight_;  // with this number of preemptions; with one more
  StateCache cache_;
  bool certain_ = true;
  bool pruned_ = false;
  uint32_t deepest_ = 0;
  uint64_t bad_ = 0;
};

}  // namespace lockstep
