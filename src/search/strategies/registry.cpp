#include "search/strategies/registry.hpp"

#include <charconv>
#include <limits>
#include <string_view>

#include "search/ranks/registry.hpp"
#include "search/strategies/auto.hpp"
#include "search/strategies/best_first.hpp"
#include "search/strategies/bpor.hpp"
#include "search/strategies/chess.hpp"
#include "search/strategies/delay.hpp"
#include "search/strategies/dfs.hpp"
#include "search/strategies/dpor.hpp"
#include "search/strategies/exitblock.hpp"
#include "search/strategies/icb.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/pctvb.hpp"
#include "search/strategies/pos.hpp"
#include "search/strategies/random.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search/strategies/surw.hpp"
#include "search/strategies/vb.hpp"
#include "search/strategies/view_search.hpp"

namespace lockstep {
namespace {

constexpr uint32_t kFewPreemptions = 2;  // most concurrency bugs need no more (Musuvathi & Qadeer 2007)

using Settings = StrategySettings;

AutoOptions auto_options(const Settings& s) {
  return {s.preemptions, s.preemptions_given, s.budget_given, s.seed, s.max_steps};
}

// One worker shares a core with the search: enough for them not to take turns all the time. Several shall not have to
// wait for it, however many there are.
unsigned lanes(const Settings& s) { return s.workers > 1 ? 128 : 32; }

enum Takes : unsigned {
  kNothing = 0,
  kPreemptions = 1,
  kSeed = 2,
  kDelays = 4,
  kDepth = 8,
  kBlocks = 16,
  kVariables = 32,
  kThreads = 64,
  kExpand = 128
};
using Make = std::unique_ptr<Search> (*)(const Settings&);

constexpr StrategyInfo strategy(const char* name, const char* summary, unsigned takes, Make make) {
  return {name,
          summary,
          (takes & kPreemptions) != 0,
          (takes & kSeed) != 0,
          (takes & kDelays) != 0,
          make,
          (takes & kDepth) != 0,
          (takes & kVariables) != 0,
          (takes & kThreads) != 0,
          (takes & kBlocks) != 0,
          (takes & kExpand) != 0};
}

std::unique_ptr<Search> exitblock(const Settings& s, bool conflicts, bool deadlocks) {
  return make_exitblock({.conflicts = conflicts,
                         .deadlocks = deadlocks,
                         .preemptions = s.preemptions,
                         .max_steps = s.max_steps,
                         .locks_write = s.locks_write,
                         .run_delayed = s.run_delayed,
                         .as_published = s.as_published});
}

constexpr StrategyInfo kStrategies[] = {
    strategy("auto", "find bugs fast, then prove: seek, random strategies, chess and optimal-dpor in turns",
             kPreemptions | kSeed, [](const Settings& s) { return make_auto(auto_options(s)); }),
    strategy("portfolio", "the strategies of auto, side by side from the start", kPreemptions | kSeed,
             [](const Settings& s) { return make_portfolio(auto_options(s)); }),
    strategy(
        "best-first",
        "every schedule within the bound, in the order of --rank; expand=dpor: every order of dependent operations",
        kPreemptions | kSeed | kVariables | kExpand,
        [](const Settings& s) {
          auto ranks = make_ranks(s.rank, {s.seed, s.focus_function, s.focus_variable});
          return make_best_first({s.preemptions, s.max_steps, s.variables, s.reduce}, std::move(*ranks));
        }),
    strategy("dfs", "depth-first search over all schedules, optionally within a preemption bound",
             kPreemptions | kVariables,
             [](const Settings& s) {
               return make_dfs({s.preemptions, s.max_steps, s.variables});
             }),
    strategy("icb", "iterative context bounding: fewest preemptions first", kPreemptions | kVariables,
             [](const Settings& s) {
               return make_icb({s.preemptions, s.max_steps, s.variables});
             }),
    strategy("chess", "icb with happens-before state caching: explores no state twice", kPreemptions | kVariables,
             [](const Settings& s) {
               return make_chess({s.preemptions, s.max_steps, s.variables});
             }),
    strategy("delay", "delay bounding: round-robin schedule, fewest delays first", kDelays | kPreemptions,
             [](const Settings& s) {
               return make_delay({s.delays, s.max_steps});
             }),
    strategy("optimal-dpor", "every order of dependent operations exactly once, optionally within a preemption bound",
             kPreemptions,
             [](const Settings& s) {
               return make_optimal_dpor({.preemptions = s.preemptions,
                                         .max_steps = s.max_steps,
                                         .lanes = lanes(s),
                                         .for_one_worker = s.workers <= 1});
             }),
    strategy("source-dpor", "like optimal-dpor with less memory; some executions are redundant", kPreemptions,
             [](const Settings& s) {
               return make_source_dpor({.preemptions = s.preemptions,
                                        .max_steps = s.max_steps,
                                        .lanes = lanes(s),
                                        .for_one_worker = s.workers <= 1});
             }),
    strategy("dpor", "DPOR as first published (Flanagan and Godefroid); many redundant executions, for comparison",
             kNothing, [](const Settings& s) { return make_dpor({s.max_steps}); }),
    strategy("bpor", "every order of dependent operations within a preemption bound (2); some executions are redundant",
             kPreemptions,
             [](const Settings& s) {
               return make_bpor({s.preemptions.value_or(kFewPreemptions), s.max_steps});
             }),
    strategy("exitblock", "every order of atomic blocks, which end at unlocks; for programs that lock all shared data",
             kPreemptions, [](const Settings& s) { return exitblock(s, false, false); }),
    strategy("exitblock-rw", "like exitblock, only for blocks that access the same memory", kPreemptions | kBlocks,
             [](const Settings& s) { return exitblock(s, true, false); }),
    strategy("exitblock-dd", "exitblock plus predicted deadlocks, each confirmed by running it", kPreemptions,
             [](const Settings& s) { return exitblock(s, false, true); }),
    strategy("exitblock-rwdd", "exitblock-rw plus predicted deadlocks", kPreemptions | kBlocks,
             [](const Settings& s) { return exitblock(s, true, true); }),
    strategy("pct",
             "random thread priorities with depth-1 change points: known probability of hitting each bug of that depth",
             kSeed | kDepth,
             [](const Settings& s) {
               return make_pct({s.depth, s.seed, s.max_steps});
             }),
    strategy("pctvb", "pct with change points only at accesses to a few chosen variables", kSeed | kDepth | kVariables,
             [](const Settings& s) {
               return make_pctvb({s.depth, s.variables.value_or(1), s.seed, s.max_steps});
             }),
    strategy("vb", "variable bounding: few preemptions (2) at few shared variables (2), optionally of few threads",
             kPreemptions | kVariables | kThreads | kSeed,
             [](const Settings& s) {
               return make_vb({s.preemptions.value_or(kFewPreemptions), s.variables.value_or(2), s.thread_bound,
                               s.loop_iterations, s.seed, s.max_steps});
             }),
    strategy("pos", "partial order sampling: random priorities of operations, redrawn at conflicts", kSeed,
             [](const Settings& s) {
               return make_pos({s.seed, s.max_steps});
             }),
    strategy("surw", "selectively uniform random walk: every order of the operations on an object is equally likely",
             kSeed,
             [](const Settings& s) {
               return make_surw({s.seed, s.max_steps});
             }),
    strategy("seek", "schedules in which a thread is expected to observe something new, fewest preemptions first",
             kSeed,
             [](const Settings& s) {
               return make_view_search({s.seed, s.max_steps});
             }),
    strategy("random", "random walk: every enabled thread is equally likely at every step", kSeed,
             [](const Settings& s) {
               return make_random({s.seed, s.max_steps});
             }),
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
    if (takes) keys.append(keys.empty() ? "its settings: " : ", ").append(key);
  };
  add(s.takes_preemptions, "preemptions");
  add(s.takes_delays, "bound");
  add(s.takes_depth, "depth");
  add(s.takes_variables, "variables");
  add(s.takes_threads, "threads");
  add(s.takes_threads, "iterations");
  add(s.takes_blocks, "locks-write");
  add(s.takes_blocks, "run-delayed");
  add(s.takes_blocks, "as-published");
  add(s.takes_expand, "expand");
  add(s.takes_seed, "seed");
  return keys.empty() ? "it has no settings" : keys;
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
  const bool depth = info.takes_depth && key == "depth";
  const bool locks = info.takes_blocks && key == "locks-write";
  const bool delayed = info.takes_blocks && key == "run-delayed";
  const bool published = info.takes_blocks && key == "as-published";
  if (locks || delayed || published) {
    if (value != "0" && value != "1" && equals != item.npos)
      return usage("setting " + quoted(key) + " of strategy " + quoted(info.name) + " must be 0 or 1, not " +
                   quoted(value));
    (locks ? settings.locks_write : delayed ? settings.run_delayed : settings.as_published) = value != "0";
    return std::nullopt;
  }
  if (info.takes_expand && key == "expand") {
    if (value != "bound" && value != "dpor")
      return usage("setting 'expand' of strategy " + quoted(info.name) + " must be bound or dpor, not " +
                   quoted(value));
    settings.reduce = value == "dpor";
    return std::nullopt;
  }
  const bool variables = info.takes_variables && key == "variables";
  const bool threads = info.takes_threads && key == "threads";
  const bool iterations = info.takes_threads && key == "iterations";
  if (!bound && !seed && !delays && !depth && !variables && !threads && !iterations)
    return usage("strategy " + quoted(info.name) + " has no setting " + quoted(key) + "; " + known_keys(info));
  if (bound && value == "none") {
    settings.preemptions.reset();
    settings.preemptions_given = true;
    return std::nullopt;
  }
  const auto number = parse_number(value, !seed ? std::numeric_limits<uint32_t>::max() - 1 : ~uint64_t{0});
  if (!number)
    return usage("setting " + quoted(key) + " of strategy " + quoted(info.name) + " needs a number, not " +
                 quoted(value));
  if (seed) settings.seed = *number;
  if (variables) settings.variables = static_cast<uint32_t>(*number);
  if (threads) settings.thread_bound = static_cast<uint32_t>(*number);
  if (iterations) settings.loop_iterations = static_cast<uint32_t>(*number);
  if (delays) settings.delays = static_cast<uint32_t>(*number);
  if (depth) {
    if (*number < 1 || *number > kMaxPctDepth)
      return usage("setting 'depth' of strategy " + quoted(info.name) + " must be a number from 1 to " +
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

bool watches_memory(std::string_view spec) {
  return spec.starts_with("exitblock") || spec.starts_with("vb") || spec.starts_with("pctvb");
}

Result<std::unique_ptr<Search>> make_strategy(const StrategyOptions& options) {
  const std::string_view spec = options.spec;
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const StrategyInfo* info = nullptr;
  for (const StrategyInfo& s : kStrategies)
    if (name == s.name) info = &s;
  if (!info) return usage("unknown strategy " + quoted(name) + "; use one of: " + known_names());

  Settings settings;
  settings.preemptions = options.preemptions;
  settings.preemptions_given = options.preemptions || options.preemptions_none;
  settings.seed = options.seed;
  settings.max_steps = options.max_steps;
  settings.workers = options.workers;
  settings.budget_given = options.budget_given;
  if (auto ranks = make_ranks(options.rank, {}); !ranks) return ranks.error();
  settings.rank = options.rank;
  settings.variables = options.variables;
  settings.thread_bound = options.thread_bound;
  settings.loop_iterations = options.loop_iterations;
  settings.focus_function = options.focus_function;
  settings.focus_variable = options.focus_variable;
  if (options.preemptions && !info->takes_preemptions)  // none is no bound
    return usage("strategy " + quoted(name) + " does not support --preemptions; use auto, icb or optimal-dpor");
  if (settings.variables && !info->takes_variables)
    return usage("strategy " + quoted(name) + " does not support --variables");
  if (settings.thread_bound && !info->takes_threads)
    return usage("strategy " + quoted(name) + " does not support --thread-bound; use vb");
  if (settings.loop_iterations && !info->takes_threads)
    return usage("strategy " + quoted(name) + " does not support --loop-iterations; use vb");
  std::string_view rest = colon == spec.npos ? std::string_view{} : spec.substr(colon + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (auto error = read_key(*info, rest.substr(0, comma), settings)) return *error;
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
  }
  if (settings.reduce && (settings.preemptions || settings.variables))
    return usage("strategy " + quoted(name) +
                 " with expand=dpor does not support a bound: it would miss executions within the bound");
  return info->make(settings);
}

}  // namespace lockstep
