// Orders of few threads among many (Bindal, Bansal & Lal 2013, section 4): strict priorities, drawn as random
// permutations, so many that every order of every `threads` threads occurs with known probability. A preempted thread
// counts as another thread from there on.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

// So many random permutations of n show all orders of all t among them with probability 1 - epsilon or more (Lemma 4.1,
// in which a factorial got lost).
uint64_t permutations_needed(unsigned n, unsigned t, double epsilon);

struct ThreadBoundOptions {
  unsigned threads = 2;  // whose order matters at most
  unsigned all_threads = 1;
  uint32_t preemptions = 0;
  std::vector<TrackedRange> tracked;  // preemptions next to accesses to these
  double epsilon = 0.01;
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

class ThreadBoundSearch {
 public:
  explicit ThreadBoundSearch(const ThreadBoundOptions& options);
  std::optional<Plan> next();
  void learn(TraceView trace);
  bool certain() const { return certain_; }  // all permutations are tried
  bool exhausted() const { return queue_.empty() && later_.empty() && in_flight_.empty(); }
  uint64_t open() const { return queue_.size() + later_.size(); }
  bool good() const { return bad_ == 0; }  // nothing was lost or cut short

  void save(StateWriter& out) const;
  void load(StateReader& in);  // into a fresh one with the same options

 private:
  struct Change {
    uint32_t record;
    uint32_t priority;
  };
  struct Item {
    size_t permutation;
    std::vector<Change> changes;
  };
  bool tracked(ObjectId object) const;
  static void save(StateWriter& out, const Item& item);

  ThreadBoundOptions options_;
  std::vector<std::vector<uint32_t>> permutations_;
  std::deque<Item> queue_, later_, in_flight_;  // this number of preemptions, the next one
  bool certain_ = false;
  uint64_t bad_ = 0;
};

}  // namespace lockstep
