// Parses the settings of a strategy specification.
#include "search/strategies/strategy_settings.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

#include "model/plan.hpp"

namespace lockstep {
namespace {

using Settings = StrategySettings;

struct Setting {
  const char* key;
  unsigned takes;
  bool (*read)(Settings& settings, std::string_view value);  // false: not a valid value
  const char* values = "a number";
};

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size();
}

template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

template <auto Member>
bool number(Settings& settings, std::string_view value) {
  typename Unwrapped<std::remove_reference_t<decltype(settings.*Member)>>::Type n{};
  if (!parse(value, n) || (sizeof n == sizeof(uint32_t) && n + 1 == 0)) return false;
  settings.*Member = n;
  return true;
}

template <auto Member>
bool flag(Settings& settings, std::string_view value) {
  const bool absent = value.data() == nullptr;  // the key without a value
  settings.*Member = absent || value == "1";
  return absent || value == "0" || value == "1";
}

bool preemptions(Settings& settings, std::string_view value) {
  settings.preemptions_given = true;
  if (value != "none") return number<&Settings::preemptions>(settings, value);
  settings.preemptions.reset();
  return true;
}

bool pct_depth(Settings& settings, std::string_view value) {
  static_assert(kMaxPctDepth == 64, "as the table says");
  return number<&Settings::depth>(settings, value) && settings.depth >= 1 && settings.depth <= kMaxPctDepth;
}

bool csb(Settings& settings, std::string_view value) {
  return number<&Settings::csb>(settings, value) && settings.csb <= 1000;
}

bool expand(Settings& settings, std::string_view value) {
  settings.reduce = value == "dpor";
  return settings.reduce || value == "bound";
}

bool window(Settings& settings, std::string_view value) {
  return number<&Settings::window>(settings, value) && settings.window >= 1;
}

// A colon replaces the comma of --rank.
bool rank_list(Settings& settings, std::string_view value) {
  std::string list(value);
  std::replace(list.begin(), list.end(), ':', ',');
  settings.rank_lists.push_back(std::move(list));
  return !value.empty();
}

bool another_seed(Settings& settings, std::string_view value) {
  if (!number<&Settings::seed>(settings, value)) return false;
  settings.seeds.push_back(settings.seed);
  return true;
}

bool sleep_sets(Settings& settings, std::string_view value) {
  settings.sleep_sets = value == "1";
  return value == "0" || value == "1";
}

bool order(Settings& settings, std::string_view value) {
  settings.by_preemptions = value == "c";
  return settings.by_preemptions || value == "v";
}

bool arrays(Settings& settings, std::string_view value) {
  settings.whole_blocks = value == "whole";
  return settings.whole_blocks || value == "elements";
}

bool epsilon(Settings& settings, std::string_view value) {
  return parse(value, settings.epsilon) && settings.epsilon > 0 && settings.epsilon < 1;
}

constexpr Setting kSettings[] = {
    {"preemptions", kPreemptions, preemptions},
    {"bound", kDelays, number<&Settings::delays>},
    {"depth", kDepth, pct_depth, "a number from 1 to 64"},
    {"depth", kDeepest, number<&Settings::deepest>},
    {"operations", kEndpoints, number<&Settings::operations>},
    {"csb", kPhases, csb, "a number up to 1000"},
    {"variables", kVariables, number<&Settings::variables>},
    {"threads", kThreads, number<&Settings::thread_bound>},
    {"epsilon", kThreads, epsilon, "a number between 0 and 1"},
    {"iterations", kSets, number<&Settings::loop_iterations>},
    {"order", kSets, order, "v or c"},
    {"arrays", kSets, arrays, "elements or whole"},
    {"survey", kSurvey, flag<&Settings::survey>, "0 or 1"},
    {"locks-write", kBlocks, flag<&Settings::locks_write>, "0 or 1"},
    {"run-delayed", kBlocks, flag<&Settings::run_delayed>, "0 or 1"},
    {"as-published", kBlocks, flag<&Settings::as_published>, "0 or 1"},
    {"expand", kExpand, expand, "bound or dpor"},
    {"sleep", kSleep, sleep_sets, "0 or 1"},
    {"window", kExpand, window, "a number from 1"},
    {"rank", kMembers, rank_list, "ranks, separated by colons"},
    {"seed", kMembers, another_seed},
    {"seed", kSeed, number<&Settings::seed>},
};

std::string known_keys(unsigned takes) {
  std::string keys;
  for (const Setting& s : kSettings)
    if (takes & s.takes) keys.append(keys.empty() ? "its settings: " : ", ").append(s.key);
  return keys.empty() ? "it has no settings" : keys;
}

// Reads one key=value; nullopt if it is valid.
std::optional<Error> read_setting(const std::string& strategy, unsigned takes, std::string_view item,
                                  Settings& settings) {
  const size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value = equals == item.npos ? std::string_view{} : item.substr(equals + 1);
  for (const Setting& s : kSettings) {
    if (!(takes & s.takes) || key != s.key) continue;
    if (s.read(settings, value)) return std::nullopt;
    return usage_error("setting " + quoted(key) + " of " + strategy + " must be " + s.values + ", not " +
                       quoted(value));
  }
  return usage_error(strategy + " has no setting " + quoted(key) + "; " + known_keys(takes));
}

std::optional<Error> unsupported_option(const std::string& strategy, unsigned takes, const StrategyOptions& options) {
  const auto refuse = [&](const char* option) { return usage_error(strategy + " does not support " + option); };
  if (options.preemptions && !(takes & kPreemptions))  // "none" is not a bound
    return refuse("--preemptions; use auto, icb or optimal-dpor");
  if (options.variables && !(takes & kVariables)) return refuse("--variables");
  if (options.thread_bound && !(takes & kThreads)) return refuse("--thread-bound; use vb, icb or chess");
  if (options.loop_iterations && !(takes & kSets)) return refuse("--loop-iterations; use vb");
  return std::nullopt;
}

}  // namespace

Result<StrategySettings> read_settings(const char* name, unsigned takes, const StrategyOptions& options,
                                       std::string_view list) {
  const std::string strategy = "strategy " + quoted(name);
  if (auto error = unsupported_option(strategy, takes, options)) return *error;
  Settings settings{options};
  settings.preemptions_given = options.preemptions || options.preemptions_none;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (auto error = read_setting(strategy, takes, list.substr(0, comma), settings)) return *error;
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
  }
  if (settings.thread_bound && (settings.variables || settings.csb > 0) && !(takes & kSets))
    return usage_error(strategy + " with --thread-bound does not support --variables or csb");
  if (settings.reduce && (settings.preemptions || settings.variables))
    return usage_error(strategy +
                       " with expand=dpor does not support a bound: it would miss executions within the bound");
  if (settings.sleep_sets && (takes & kExpand) && !settings.reduce)
    return usage_error(strategy + " has no sleep sets without expand=dpor");
  return settings;
}

}  // namespace lockstep
