// Ranks `dpor` and `mdpor`: what a partial order reduction would ask for goes first. `mdpor` also tells what is asked
// for because of a race itself from what is asked for to be on the safe side.
#pragma once
#include "search/ranks/dpor_requests.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

class DporRank final : public Rank {
 public:
  explicit DporRank(bool graded) : graded_(graded) {}

  void look(const Outlook& outlook) override { asked_.look(outlook); }
  uint64_t of(const Outlook& outlook, const Alternative& a) override {
    if (!chooses_thread(outlook, a)) return 0;  // data alternatives depend on nothing but themselves
    const auto how = asked_.how(a.step, a.value);
    if (!graded_) return how ? 0 : 1;
    return !how ? 2 : how == Asked::How::Exactly ? 0 : 1;
  }

 private:
  const bool graded_;
  Asked asked_;
};

}  // namespace lockstep
