// A weighted sum of several ranks: "2*mdpor+pb".
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "search/ranks/rank.hpp"

namespace lockstep {

class WeightedRank final : public Rank {
 public:
  struct Term {
    uint32_t weight;
    std::unique_ptr<Rank> rank;
  };
  explicit WeightedRank(std::vector<Term> terms) : terms_(std::move(terms)) {}

  void look(const ExecutionView& execution) override {
    for (const Term& t : terms_) t.rank->look(execution);
  }
  uint64_t of(const ExecutionView& execution, const Alternative& alternative) override {
    uint64_t sum = 0;
    for (const Term& t : terms_) sum += t.weight * std::min<uint64_t>(t.rank->of(execution, alternative), kHighestRank);
    return sum;
  }
  bool needs_stacks() const override {
    return std::any_of(terms_.begin(), terms_.end(), [](const Term& t) { return t.rank->needs_stacks(); });
  }
  bool follows_what_is_learned() const override {
    return std::any_of(terms_.begin(), terms_.end(), [](const Term& t) { return t.rank->follows_what_is_learned(); });
  }

 private:
  std::vector<Term> terms_;
};

}  // namespace lockstep
