#include "search/registry.hpp"

#include <charconv>
#include <limits>
#include <string_view>

#include "search/ranks/registry.hpp"
#include "search/strategies/auto.hpp"
#include "search/strategies/best_first.hpp"
#include "search/strategies/dfs.hpp"
#include "search/strategies/icb.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/pos.hpp"
#include "search/strategies/random.hpp"

namespace lockstep {
namespace {

constexpr uint32_t kAutoPreemptions = 2;  // most concurrency bugs need no more (Musuvathi & Qadeer 2007)

using Settings = StrategySettings;

std::optional<uint32_t> bound_or_two(const Settings& s) {
  return s.preemptions_given ? s.preemptions : std::optional(kAutoPreemptions);
}

constexpr StrategyInfo kStrategies[] = {
    {"auto", "find fast, then prove: few preemptions first, then random schedules and the proof in turns", true, true,
     [](const Settings& s) { return make_auto({bound_or_two(s), s.seed, s.max_steps}); }},
    {"best-first", "every schedule within the bound, in the order of --rank", true, true,
     [](const Settings& s) {
       auto ranks = make_ranks(s.rank, {s.seed, s.focus_function, s.focus_variable});
       return make_best_first({s.preemptions, s.max_steps}, std::move(*ranks));
     }},
    {"dfs", "depth-first search over every schedule, optionally within a preemption bound", true, false,
     [](const Settings& s) { return make_dfs({s.preemptions, s.max_steps}); }},
    {"icb", "iterative context bounding: fewest preemptions first", true, false,
     [](const Settings& s) { return make_icb({s.preemptions, s.max_steps}); }},
    {"pct", "random priorities with depth-1 changes: a known chance to hit each bug of that depth", false, true,
     [](const Settings& s) { return make_pct({s.depth, s.seed, s.max_steps}); }, true},
    {"portfolio", "the strategies of auto side by side from the start", true, true,
     [](const Settings& s) { return make_portfolio({bound_or_two(s), s.seed, s.max_steps}); }},
    {"pos", "partial order sampling: random priorities of operations, redrawn at conflicts", false, true,
     [](const Settings& s) { return make_pos({s.seed, s.max_steps}); }},
    {"random", "random walk: every enabled thread is equally likely at every step", false, true,
     [](const Settings& s) { return make_random({s.seed, s.max_steps}); }},
};

Error usage(std::string message) { return {ExitCode::Usage, std::move(message)}; }

std::string quoted(std::string_view text) { return std::string(1, '\'').append(text).append(1, '\''); }

std::string known_names() {
  std::string names;
  for (const StrategyInfo& s : kStrategies) names.append(names.empty() ? "" : ", ").append(s.name);
  return names;
}

std::string known_keys(const StrategyInfo& s) {
  std::string keys;
  const auto add = [&keys](bool takes, const char* key) {
    if (takes) keys.append(keys.empty() ? "it has: " : ", ").append(key);
  };
  add(s.takes_preemptions, "preemptions");
  add(s.takes_depth, "depth");
  add(s.takes_seed, "seed");
  return keys.empty() ? "it has none" : keys;
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
  const bool depth = info.takes_depth && key == "depth";
  if (!bound && !seed && !depth)
    return usage("strategy " + quoted(info.name) + " has no setting " + quoted(key) + "; " + known_keys(info));
  if (bound && value == "none") {
    settings.preemptions.reset();
    settings.preemptions_given = true;
    return std::nullopt;
  }
  const auto number = parse_number(value, bound ? std::numeric_limits<uint32_t>::max() - 1 : ~uint64_t{0});
  if (!number)
    return usage("setting " + quoted(key) + " of strategy " + quoted(info.name) + " needs a number, not " + quoted(value));
  if (seed) settings.seed = *number;
  if (depth) {
    if (*number < 1 || *number > kMaxPctDepth)
      return usage("setting 'depth' of strategy " + quoted(info.name) + " is a number from 1 to " +
                   std::to_string(kMaxPctDepth) + ", not " + quoted(value));
    settings.depth = static_cast<uint32_t>(*number);
  }
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

  Settings settings{options.preemptions, options.preemptions || options.preemptions_none, options.seed,
                    options.max_steps};
  if (auto ranks = make_ranks(options.rank, {}); !ranks) return ranks.error();
  settings.rank = options.rank;
  settings.focus_function = options.focus_function;
  settings.focus_variable = options.focus_variable;
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
