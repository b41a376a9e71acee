// Plans what the current path leaves to be explored: adds alternatives to the tree and to the walk. A Reversal decides
// what reverses a race; the strategies differ only in the Reversal.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "search/dpor/path.hpp"
#include "search/dpor/request.hpp"
#include "search/dpor/walk.hpp"

namespace lockstep::dpor {

class Planner;

class Reversal {
 public:
  virtual ~Reversal() = default;
  virtual void reverse(Path& path, Planner& planner, const Race& race) = 0;
  // True: the reversal found and reversed the races of a step with the records before `end` itself.
  virtual bool reverse_all(Path&, Planner&, const Event& /*next*/, const Label& /*label*/, uint32_t /*end*/) {
    return false;
  }
};

class Planner {
 public:
  Planner(Path& path, ChoiceTree& tree, Reversal& reversal, bool observed_labels)
      : path_(path), tree_(tree), reversal_(reversal), observed_labels_(observed_labels) {}
  void use(Walk& walk) { walk_ = &walk; }

  // The races of a long execution may need more time or memory than there is: n races with sequences of n steps. Then
  // nothing more is planned, and the tree has to be discarded.
  enum class GaveUp : uint8_t { No, OutOfTime, OutOfMemory };
  GaveUp gave_up() const { return gave_up_; }
  void try_again() { gave_up_ = GaveUp::No; }
  void stop_when(std::function<bool()> must_stop) { must_stop_ = std::move(must_stop); }
  void limit_memory(uint64_t bytes) { max_bytes_ = std::max(bytes, kLeastMemory); }

  // --- for reversals ---
  ChoiceTree& tree() { return tree_; }
  bool is_planned(uint32_t record, ThreadId t) const {
    return tree_.child(path_.state(record), static_cast<uint16_t>(t)) != kNone;
  }
  void plan(uint32_t record, ThreadId t, const Label& label);  // plans to run another thread at the record
  // Plans to run this thread, one of `initials`, none of which is planned. Where others own the state, they decide.
  void plan_one_of(uint32_t record, const Label& label, std::span<const Label> initials);
  // Plans every thread that is enabled at the record, within a bound on preemptions.
  void plan_enabled(uint32_t record, std::optional<uint32_t> bound = std::nullopt);
  void make_available(uint32_t node) { walk_->add(node); }  // see Walk::add

  // States of earlier records belong to somebody else: what is planned there becomes a request.
  void own_from(uint32_t record) { owned_from_ = record; }
  const std::vector<Request>& requests() const { return requests_; }
  void ask_again(std::vector<Request> requests);  // of a saved search

  // --- for the search --- `end`: as in Race.
  void plan_data(uint32_t state, uint32_t record);
  void reverse_step(uint32_t record, uint32_t end);
  bool reverse_timed_wait(uint32_t note, uint32_t end);  // false: no timed wait ended there
  void reverse_pending(uint32_t last);                   // the pending operations of threads; `last`: record or kNone

 private:
  static constexpr uint64_t kLeastMemory = 64 << 20;

  void reverse_races(const Event& next, uint32_t at, uint32_t end, bool blocked);
  void ask(uint32_t record, const Label& label, std::span<const Label> initials);
  bool must_give_up();

  Path& path_;
  ChoiceTree& tree_;
  Reversal& reversal_;
  bool observed_labels_;  // see Mistakes
  Walk* walk_ = nullptr;
  std::function<bool()> must_stop_;
  uint64_t max_bytes_ = ~uint64_t{0};
  uint32_t owned_from_ = 0;
  std::vector<Request> requests_;
  std::set<std::pair<uint32_t, std::vector<ThreadId>>> known_requests_;  // record, initials
  unsigned asked_ = 0;
  GaveUp gave_up_ = GaveUp::No;
};

}  // namespace lockstep::dpor
