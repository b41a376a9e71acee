// Ranks `dpor` and `mdpor`: the backtracking points of dynamic partial order reduction go first. `mdpor` puts the
// points of a race before conservative ones.
#pragma once
#include "search/ranks/dpor_requests.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

class DporRank final : public Rank {
 public:
  explicit DporRank(bool graded) : graded_(graded) {}

  void look(const ExecutionView& execution) override { requests_.look(execution); }
  uint64_t of(const ExecutionView& execution, const Alternative& a) override {
    if (!chooses_thread(execution, a)) return 0;  // data alternatives do not depend on races
    const auto request = requests_.find(a.step, a.value);
    if (!graded_) return request ? 0 : 1;
    return !request ? 2 : request == DporRequests::Request::Race ? 0 : 1;
  }

 private:
  const bool graded_;
  DporRequests requests_;
};

}  // namespace lockstep
