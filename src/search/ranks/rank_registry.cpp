#include "search/ranks/rank_registry.hpp"

#include <string>

#include "search/ranks/dpor_rank.hpp"
#include "search/ranks/fresh.hpp"
#include "search/ranks/odds.hpp"
#include "search/ranks/pb.hpp"
#include "search/ranks/rand.hpp"
#include "search/ranks/ss.hpp"
#include "search/ranks/view.hpp"

namespace lockstep {
namespace {

using Settings = RankSettings;
using Made = std::unique_ptr<Rank>;

constexpr RankInfo kRanks[] = {
    {"dpor", "switches that reverse a race first",
     [](const Settings&) -> Made { return std::make_unique<DporRank>(false); }},
    {"fresh", "switches between operations rarely tried together first",
     [](const Settings&) -> Made { return std::make_unique<FreshRank>(); }},
    {"mdpor", "like dpor, conservative backtracking points later",
     [](const Settings&) -> Made { return std::make_unique<DporRank>(true); }},
    {"method", "switches in functions that match --focus-function first",
     [](const Settings& s) -> Made { return std::make_unique<MethodRank>(s.function); }},
    {"odds", "random order, weighted towards new behaviour",
     [](const Settings& s) -> Made { return std::make_unique<OddsRank>(s.seed); }},
    {"pb", "fewest preemptions first", [](const Settings&) -> Made { return std::make_unique<PreemptionRank>(); }},
    {"rand", "random order", [](const Settings& s) -> Made { return std::make_unique<RandomRank>(s.seed); }},
    {"ss", "threads in the sleep set last", [](const Settings&) -> Made { return std::make_unique<SleepRank>(); }},
    {"var", "switches at variables that match --focus-variable first",
     [](const Settings& s) -> Made { return std::make_unique<VariableRank>(s.variable); }},
    {"view", "executions in which a thread observes something new first",
     [](const Settings&) -> Made { return std::make_unique<ViewRank>(); }},
};

Error usage(std::string message) { return {ExitCode::Usage, std::move(message)}; }

}  // namespace

std::span<const RankInfo> ranks() { return kRanks; }

Result<Ranks> make_ranks(std::string_view list, const Settings& settings) {
  Ranks made;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t comma = std::min(list.find(',', begin), list.size());
    const std::string_view name = list.substr(begin, comma - begin);
    begin = comma + 1;
    const RankInfo* found = nullptr;
    std::string known;
    for (const RankInfo& info : kRanks) {
      if (name == info.name) found = &info;
      known.append(known.empty() ? "" : ", ").append(info.name);
    }
    if (!found) return usage("unknown rank '" + std::string(name) + "'; use one of: " + known);
    made.push_back(found->make(settings));
  }
  if (made.size() > kMaxRanks) return usage("at most " + std::to_string(kMaxRanks) + " ranks can be combined");
  return made;
}

}  // namespace lockstep
