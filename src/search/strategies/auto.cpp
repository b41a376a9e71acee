#include "search/strategies/auto.hpp"

#include <utility>

#include "search/mixture.hpp"
#include "search/seeds.hpp"
#include "search/strategies/icb.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/pos.hpp"
#include "search/strategies/random.hpp"

namespace lockstep {
namespace {

// Half of the executions prove, half look around: a proof takes at most twice as long, and a bug out of its reach is
// found at half the speed of the best random strategy for it.
std::vector<MixturePart> parts_of(const AutoOptions& o) {
  std::vector<MixturePart> parts;
  parts.push_back({"icb", make_icb({o.preemptions, o.max_steps}), 200});
  parts.push_back({"pos", make_pos({seed_of(o.seed, 1), o.max_steps}), 80});
  parts.push_back({"pct:depth=2", make_pct({2, seed_of(o.seed, 2), o.max_steps}), 40});
  parts.push_back({"pct:depth=3", make_pct({3, seed_of(o.seed, 3), o.max_steps}), 40});
  parts.push_back({"random", make_random({seed_of(o.seed, 4), o.max_steps}), 40});
  return parts;
}

}  // namespace

std::unique_ptr<Strategy> make_auto(const AutoOptions& options) {
  return std::make_unique<Mixture>(parts_of(options),
                                   MixtureOptions{.finish_first = 1, .head_start = 2000, .little_left = 500});
}

std::unique_ptr<Strategy> make_portfolio(const AutoOptions& options) {
  std::vector<MixturePart> parts = parts_of(options);
  for (MixturePart& part : parts) part.slice = 1;
  return std::make_unique<Mixture>(std::move(parts), MixtureOptions{});
}

}  // namespace lockstep
