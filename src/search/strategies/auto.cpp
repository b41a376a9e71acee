// The parts, shares and opening of `auto`.
#include "search/strategies/auto.hpp"

#include <utility>

#include "search/base/seeds.hpp"
#include "search/mix/mixture.hpp"
#include "search/strategies/bounded.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/random.hpp"
#include "search/strategies/revisit.hpp"
#include "search/strategies/surw.hpp"
#include "search/strategies/view_search.hpp"

namespace lockstep {
namespace {

using Proof = MixturePart::Proof;
enum Part : size_t { kDpor, kChess, kSeek, kPos, kSurw, kRandom, kPct2, kPct3, kRevisit };

// In the long run one of three executions is part of a proof; the others look for bugs. A bug out of a proof's reach is
// then found at a fraction of the speed of the best way to look for it, and which way is the best is not known
// beforehand. The first thousand executions mostly look for bugs, in small slices, so that each way gets its turn soon.
// Branching off rare states pays only for rare bugs, so it gets most turns later.
std::vector<MixturePart> parts_of(const AutoOptions& o) {
  std::vector<MixturePart> parts;
  parts.push_back({"optimal-dpor", make_optimal_dpor({{}, o.max_steps}), 170, Proof::Full, 12});
  parts.push_back({"chess", make_chess({o.preemptions, o.max_steps}), 110, Proof::Bounded, 10});
  parts.push_back({"seek", make_view_search({seed_of(o.seed, 0), o.max_steps}), 80, Proof::None, 18, false, true});
  parts.push_back({"pos", make_pos({seed_of(o.seed, 1), o.max_steps}), 80, Proof::None, 20, true});
  parts.push_back({"surw", make_surw({seed_of(o.seed, 2), o.max_steps}), 60, Proof::None, 18, true});
  parts.push_back({"random", make_random({seed_of(o.seed, 3), o.max_steps}), 30, Proof::None, 5, true});
  parts.push_back({"pct:depth=2", make_pct({2, seed_of(o.seed, 4), o.max_steps}), 20, Proof::None, 3, true});
  parts.push_back({"pct:depth=3", make_pct({3, seed_of(o.seed, 5), o.max_steps}), 30, Proof::None, 6, true});
  parts.push_back({"revisit", make_revisit({seed_of(o.seed, 6), o.max_steps}), 480, Proof::None, 8});
  return parts;
}

// A bug that is easy for any part shows within the first dozen executions. Most such bugs show at random, so these come
// first. For other bugs there are two cases. In a small space, random executions repeat themselves, while a search
// without repetition finishes soon. In a large space such a search would only reach the surroundings of its first
// execution. Random executions soon show which case it is.
std::vector<MixtureTurn> opening() {
  constexpr MixtureTurn kPosOrProve{kPos, kDpor}, kSurwOrProve{kSurw, kDpor};
  constexpr MixtureTurn kFirst[] = {{kPos}, {kSurw}, {kRandom}, {kPos},    {kSurw}, {kSeek}, {kDpor}, {kSeek},
                                    {kPos}, {kSurw}, {kSeek},   {kRandom}, {kSurw}, {kPos},  {kSeek}, {kDpor}};
  constexpr MixtureTurn kThen[] = {kPosOrProve, {kSeek},      kSurwOrProve, {kSurw}, kPosOrProve,  {kPos},
                                   {kDpor},     kSurwOrProve, kPosOrProve,  {kSeek}, kSurwOrProve, {kSurw},
                                   kPosOrProve, {kPos},       kSurwOrProve, {kChess}};
  constexpr MixtureTurn kLast[] = {kPosOrProve, {kPos},       kSurwOrProve, {kSurw},     kPosOrProve, {kSeek},
                                   {kDpor},     kSurwOrProve, {kPos},       kPosOrProve, {kSurw},     kSurwOrProve,
                                   {kSeek},     kPosOrProve,  {kPct3},      {kChess}};
  std::vector<MixtureTurn> turns(std::begin(kFirst), std::end(kFirst));
  for (int i = 0; i < 2; ++i) turns.insert(turns.end(), std::begin(kThen), std::end(kThen));
  for (int i = 0; i < 4; ++i) turns.insert(turns.end(), std::begin(kLast), std::end(kLast));
  return turns;
}

MixtureOptions ending(const AutoOptions& o) {
  // Most concurrency bugs need no more preemptions (Musuvathi & Qadeer 2007).
  constexpr MixtureOptions::Enough kEnough{.preemptions = 2, .executions = 20'000};
  if (o.bound_given) return {.bound = o.preemptions};
  return {.enough = o.budget_given ? std::nullopt : std::optional(kEnough)};
}

}  // namespace

std::unique_ptr<Search> make_auto(const AutoOptions& options) {
  MixtureOptions mixing = ending(options);
  mixing.opening = opening();
  mixing.early_rounds = 8;
  mixing.learn_shares = true;
  mixing.long_executions = {.steps = 10'000, .instead = kPct3};
  return std::make_unique<Mixture>(parts_of(options), std::move(mixing));
}

std::unique_ptr<Search> make_portfolio(const AutoOptions& options) {
  std::vector<MixturePart> parts = parts_of(options);
  for (MixturePart& part : parts) part.slice = 1;
  MixtureOptions mixing = ending(options);
  constexpr size_t kRounds = 8;  // one by one, so that the parts can skip executions of others
  for (size_t i = 0; i < kRounds * parts.size(); ++i) mixing.opening.push_back({i % parts.size()});
  return std::make_unique<Mixture>(std::move(parts), std::move(mixing));
}

}  // namespace lockstep
