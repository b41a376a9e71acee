// Rank `odds`: random order with unequal chances. Each property of an execution multiplies its odds, so no single
// property decides, as it would in a hierarchy of ranks, and no execution waits forever:
//   promises a view that no thread has seen (rank `view`)   64 to 1, less the more often it was promised before
//   a race asks for it (rank `dpor`)                         16 to 1
//   each deviation from the default schedule                  1 to 8: small changes first
//   each of those that is a preemption                        2 to 1
// Each execution draws an exponential clock of its rate, and the execution with the earliest clock runs first: weighted
// sampling without replacement (Efraimidis & Spirakis 2006). The square root of the clocks makes the order a little
// less random. The figures were found with the first set of programs of bench/README.md.
#pragma once
#include "search/ranks/dpor_requests.hpp"
#include "search/ranks/rank.hpp"
#include "search/ranks/view.hpp"

namespace lockstep {

class OddsRank final : public Rank {
 public:
  explicit OddsRank(uint64_t seed) : seed_(seed) {}

  void look(const ExecutionView& execution) override;
  uint64_t of(const ExecutionView& execution, const Alternative& a) override;
  bool follows_what_is_learned() const override { return true; }

 private:
  const uint64_t seed_;
  uint64_t path_ = 0;  // hash of the deviations of the current execution
  ViewRank view_;
  DporRequests requests_;
};

}  // namespace lockstep
