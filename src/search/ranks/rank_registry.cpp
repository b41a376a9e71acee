// The list of all ranks, and the parser of combined ranks.
#include "search/ranks/rank_registry.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "search/ranks/dpor_rank.hpp"
#include "search/ranks/fresh.hpp"
#include "search/ranks/odds.hpp"
#include "search/ranks/pb.hpp"
#include "search/ranks/rand.hpp"
#include "search/ranks/ss.hpp"
#include "search/ranks/view.hpp"
#include "search/ranks/weighted.hpp"

namespace lockstep {
namespace {

using Made = std::unique_ptr<Rank>;

constexpr RankInfo kRanks[] = {
    {"dpor", "switches that reverse a race first",
     [](const RankSettings&) -> Made { return std::make_unique<DporRank>(false); }},
    {"fresh", "switches between operations rarely tried together first",
     [](const RankSettings&) -> Made { return std::make_unique<FreshRank>(); }},
    {"mdpor", "like dpor, conservative backtracking points later",
     [](const RankSettings&) -> Made { return std::make_unique<DporRank>(true); }},
    {"method", "switches in functions that match --focus-function first",
     [](const RankSettings& s) -> Made { return std::make_unique<MethodRank>(s.function); }},
    {"odds", "random order, weighted towards new behaviour",
     [](const RankSettings& s) -> Made { return std::make_unique<OddsRank>(s.seed); }},
    {"pb", "fewest preemptions first", [](const RankSettings&) -> Made { return std::make_unique<PreemptionRank>(); }},
    {"rand", "random order", [](const RankSettings& s) -> Made { return std::make_unique<RandomRank>(s.seed); }},
    {"ss", "threads in the sleep set last", [](const RankSettings&) -> Made { return std::make_unique<SleepRank>(); }},
    {"var", "switches at variables that match --focus-variable first",
     [](const RankSettings& s) -> Made { return std::make_unique<VariableRank>(s.variable); }},
    {"view", "executions in which a thread observes something new first",
     [](const RankSettings&) -> Made { return std::make_unique<ViewRank>(); }},
};

std::string rank_names() {
  std::string names;
  for (const RankInfo& info : kRanks) names.append(names.empty() ? "" : ", ").append(info.name);
  return names;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// "2*mdpor" or "mdpor".
struct Term {
  uint32_t weight = 1;
  std::string_view name;
  bool good = true;  // the weight is a number from 1 to kMaxWeight
};
constexpr uint32_t kMaxWeight = 1000;

Term term_of(std::string_view text) {
  const size_t star = text.find('*');
  if (star == text.npos) return {1, text};
  Term term{0, text.substr(star + 1)};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + star, term.weight);
  term.good = failure == std::errc{} && end == text.data() + star && term.weight >= 1 && term.weight <= kMaxWeight;
  return term;
}

Result<Made> make_rank(std::string_view name, const RankSettings& settings) {
  if (name.find('/') != name.npos && settings.load) return settings.load(std::string(name));
  for (const RankInfo& info : kRanks)
    if (name == info.name) return info.make(settings);
  return usage_error("unknown rank '" + std::string(name) + "'; use one of: " + rank_names() +
                     ", or the path of a shared object");
}

Result<Made> make_sum(std::string_view text, const RankSettings& settings) {
  std::vector<WeightedRank::Term> terms;
  for (const std::string_view part : split(text, '+')) {
    const Term term = term_of(part);
    if (!term.good)
      return usage_error("the weight in '" + std::string(part) + "' must be a number from 1 to " +
                         std::to_string(kMaxWeight));
    Result<Made> rank = make_rank(term.name, settings);
    if (!rank) return rank.error();
    terms.push_back({term.weight, std::move(*rank)});
  }
  if (terms.size() == 1 && terms[0].weight == 1) return std::move(terms[0].rank);
  return Made(std::make_unique<WeightedRank>(std::move(terms)));
}

}  // namespace

std::span<const RankInfo> ranks() { return kRanks; }

Result<Ranks> make_ranks(std::string_view list, const RankSettings& settings) {
  Ranks made;
  for (const std::string_view part : split(list, ',')) {
    Result<Made> rank = make_sum(part, settings);
    if (!rank) return rank.error();
    made.push_back(std::move(*rank));
  }
  if (made.size() > kMaxRanks) return usage_error("at most " + std::to_string(kMaxRanks) + " ranks can be combined");
  return made;
}

bool uses_rank(std::string_view list, std::string_view name) {
  for (const std::string_view sum : split(list, ','))
    for (const std::string_view part : split(sum, '+'))
      if (term_of(part).name == name) return true;
  return false;
}

}  // namespace lockstep
