#include "search/registry.hpp"

#include <charconv>
#include <limits>
#include <string_view>

#include "search/strategies/bpor.hpp"
#include "search/strategies/chess.hpp"
#include "search/strategies/delay.hpp"
#include "search/strategies/dfs.hpp"
#include "search/strategies/dpor.hpp"
#include "search/strategies/icb.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/random.hpp"
#include "search/strategies/source_dpor.hpp"

namespace lockstep {
namespace {

constexpr uint32_t kAutoPreemptions = 2;  // most concurrency bugs need no more (Musuvathi & Qadeer 2007)

using Settings = StrategySettings;

enum Takes { kNothing = 0, kPreemptions = 1, kSeed = 2, kDelays = 4 };
using Make = std::unique_ptr<Strategy> (*)(const Settings&);

constexpr StrategyInfo strategy(const char* name, const char* summary, Takes takes, Make make) {
  return {name, summary, (takes & kPreemptions) != 0, (takes & kSeed) != 0, (takes & kDelays) != 0, make};
}

constexpr StrategyInfo kStrategies[] = {
    strategy("auto", "find fast, then prove: for now, icb with at most 2 preemptions", kPreemptions,
             [](const Settings& s) {
               return make_icb({s.preemptions_given ? s.preemptions : std::optional(kAutoPreemptions), s.max_steps});
             }),
    strategy("dfs", "depth-first search over every schedule, optionally within a preemption bound", kPreemptions,
             [](const Settings& s) { return make_dfs({s.preemptions, s.max_steps}); }),
    strategy("icb", "iterative context bounding: fewest preemptions first", kPreemptions,
             [](const Settings& s) { return make_icb({s.preemptions, s.max_steps}); }),
    strategy("chess", "icb that explores no state twice", kPreemptions,
             [](const Settings& s) { return make_chess({s.preemptions, s.max_steps}); }),
    strategy("delay", "delay bounding: threads take turns, fewest exceptions first", kDelays,
             [](const Settings& s) { return make_delay({s.delays, s.max_steps}); }),
    strategy("optimal-dpor", "every order of dependent operations exactly once, optionally within a preemption bound",
             kPreemptions, [](const Settings& s) { return make_optimal_dpor({s.preemptions, s.max_steps}); }),
    strategy("source-dpor", "the same with less memory; some executions are begun in vain", kPreemptions,
             [](const Settings& s) { return make_source_dpor({s.preemptions, s.max_steps}); }),
    strategy("dpor", "the same as first published, many orders several times; for comparison", kNothing,
             [](const Settings& s) { return make_dpor({s.max_steps}); }),
    strategy("bpor", "every order of dependent operations within a preemption bound (2), some several times",
             kPreemptions,
             [](const Settings& s) { return make_bpor({s.preemptions.value_or(kAutoPreemptions), s.max_steps}); }),
    strategy("random", "random walk: every enabled thread is equally likely at every step", kSeed,
             [](const Settings& s) { return make_random({s.seed, s.max_steps}); }),
};

Error usage(std::string message) { return {ExitCode::Usage, std::move(message)}; }

std::string quoted(std::string_view text) { return std::string(1, '\'').append(text).append(1, '\''); }

std::string known_names() {
  std::string names;
  for (const StrategyInfo& s : kStrategies) names.append(names.empty() ? "" : ", ").append(s.name);
  return names;
}

std::string known_keys(const StrategyInfo& s) {
  if (s.takes_preemptions) return "it has: preemptions";
  if (s.takes_seed) return "it has: seed";
  if (s.takes_delays) return "it has: bound";
  return "it has none";
}

std::optional<uint64_t> parse_number(std::string_view text, uint64_t most) {
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number > most) return std::nullopt;
  return number;
}

// One key=value; nullopt if it is right.
std::optional<Error> read_key(const StrategyInfo& info, std::string_view item, Settings& settings) {
  const size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value = equals == item.npos ? std::string_view{} : item.substr(equals + 1);
  const bool bound = info.takes_preemptions && key == "preemptions";
  const bool seed = info.takes_seed && key == "seed";
  const bool delays = info.takes_delays && key == "bound";
  if (!bound && !seed && !delays)
    return usage("strategy " + quoted(info.name) + " has no setting " + quoted(key) + "; " + known_keys(info));
  if (bound && value == "none") {
    settings.preemptions.reset();
    settings.preemptions_given = true;
    return std::nullopt;
  }
  const auto number = parse_number(value, !seed ? std::numeric_limits<uint32_t>::max() - 1 : ~uint64_t{0});
  if (!number)
    return usage("setting " + quoted(key) + " of strategy " + quoted(info.name) + " needs a number, not " + quoted(value));
  if (seed) settings.seed = *number;
  if (delays) settings.delays = static_cast<uint32_t>(*number);
  if (bound) {
    settings.preemptions = static_cast<uint32_t>(*number);
    settings.preemptions_given = true;
  }
  return std::nullopt;
}

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }

Result<std::unique_ptr<Strategy>> make_strategy(const StrategyOptions& options) {
  const std::string_view spec = options.spec;
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const StrategyInfo* info = nullptr;
  for (const StrategyInfo& s : kStrategies)
    if (name == s.name) info = &s;
  if (!info) return usage("there is no strategy " + quoted(name) + "; known are " + known_names());

  Settings settings{options.preemptions, options.preemptions || options.preemptions_none, {}, options.seed,
                    options.max_steps};
  if (settings.preemptions_given && !info->takes_preemptions)
    return usage("strategy " + quoted(name) + " cannot be bounded by --preemptions");
  std::string_view rest = colon == spec.npos ? std::string_view{} : spec.substr(colon + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (auto error = read_key(*info, rest.substr(0, comma), settings)) return *error;
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return info->make(settings);
}

}  // namespace lockstep
