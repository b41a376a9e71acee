// Orders of few threads among many (Bindal, Bansal & Lal 2013, section 4): strict priorities, either all of them or
// random permutations, enough that every order of every `threads` threads occurs with known probability. A preempted
// thread counts as another thread from there on.
//
// Only comparisons of priorities matter. So permutations that order the threads alike, up to the preemptions so far,
// are one execution (Group); they part where a preempted thread gets its next priority. Where all permutations are to
// be tried, none is written down: groups part into all places the next priority can have. And where two executions are
// in the same happens-before state with the same order of priorities, only one of them is continued.
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

// Random permutations of n that are needed to show all orders of any t of them, with probability 1 - epsilon or more
// (Lemma 4.1, corrected by a factorial).
uint64_t permutations_needed(unsigned n, unsigned t, double epsilon);

struct ThreadBoundOptions {
  unsigned threads = 2;  // whose order matters at most
  unsigned all_threads = 1;
  uint32_t preemptions = 0;
  std::optional<std::vector<TrackedRange>> tracked{};  // preemptions next to accesses to these; none: anywhere
  double epsilon = 0.01;
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  bool cache = true;  // states
};

class ThreadBoundSearch {
 public:
  explicit ThreadBoundSearch(const ThreadBoundOptions& options);
  std::optional<Plan> next();
  void learn(TraceView trace);
  bool certain() const { return certain_; }  // all permutations are tried
  uint64_t open() const { return queue_.size() + later_.size(); }
  uint32_t deepest() const { return deepest_; }  // the most preemptions that an execution had
  bool good() const { return bad_ == 0; }        // nothing was lost or cut short

  void save(StateWriter& out) const;
  void load(StateReader& in);  // into a fresh one with the same options

 private:
  // Executions of permutations that order all threads that are still alive alike.
  struct Group {
    std::vector<uint32_t> ranking;       // threads, then what they become when preempted: the highest priority first
    std::vector<uint32_t> permutations;  // that order them so; empty: all of them are tried
    std::vector<uint32_t> changes;       // records at which the thread that ran last gets its next priority
    std::vector<Delta> choices;          // data alternatives other than the first
    uint32_t from = 0;                   // records before this one have been expanded
  };
  // The execution that is expanded.
  struct Expansion {
    const Group& group;
    TraceView trace;
    std::vector<uint32_t> last;      // record of each thread's last step; kNoStep: it has not ended
    std::vector<uint32_t> fragment;  // of each thread: which entry of a permutation is its priority
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
      permutations_;                             // drawn: of all threads and then of what they become when preempted
  std::vector<uint32_t> next_ranking_;           // of the threads, in the next first group; empty: there is none
  std::deque<Group> queue_, later_, in_flight_;  // this number of preemptions, the next one
  StateCache cache_;
  bool certain_ = true;
  bool pruned_ = false;
  uint32_t deepest_ = 0;
  uint64_t bad_ = 0;
};

}  // namespace lockstep
