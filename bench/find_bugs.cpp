// How many executions each strategy needs until it meets the bug of each program. Usage: find_bugs RUNTIME PROGRAMS_DIR
// Strategies with a seed: the mean over 20 seeds; "> N" if a run ended without the bug.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "analysis/registry.hpp"
#include "search/explorer.hpp"
#include "search/registry.hpp"
#include "target/target.hpp"

using namespace lockstep;

namespace {

constexpr uint64_t kMost = 20'000;
constexpr uint64_t kSeeds = 20;

struct Way {
  const char* title;
  const char* spec;
  const char* rank;  // of best-first
  bool seeded;
};
constexpr Way kWays[] = {
    {"dfs", "dfs", "pb", false},
    {"icb", "icb", "pb", false},
    {"mdpor,pb", "best-first", "mdpor,pb", false},
    {"ss,mdpor", "best-first", "ss,mdpor", false},
    {"fresh,pb", "best-first", "fresh,pb", false},
    {"rand", "best-first", "rand", true},
    {"random", "random", "pb", true},
    {"pct:depth=2", "pct:depth=2", "pb", true},
    {"pct:depth=3", "pct:depth=3", "pb", true},
    {"pos", "pos", "pb", true},
    {"auto", "auto", "pb", true},
};
constexpr const char* kPrograms[] = {"account",       "bluetooth",    "bounded_buffer", "check_then_act", "circular_buffer",
                                     "lazy_init",     "lock_cycle",   "lost_notify",    "peterson",       "philosophers",
                                     "reorder",       "stack_aba",    "stealing_queue", "string_buffer",  "token_ring",
                                     "twostage",      "wrong_lock"};

// Executions until the bug, 0 if it was not met.
uint64_t until_bug(Target& target, const Way& way, uint64_t seed) {
  StrategyOptions options;
  options.spec = way.spec;
  options.rank = way.rank;
  options.seed = seed;
  options.max_steps = 10'000;
  auto strategy = make_strategy(options);
  if (!strategy) std::exit(2);
  std::vector<std::unique_ptr<Analysis>> owned;
  std::vector<Analysis*> checks;
  for (const AnalysisInfo& info : analyses()) {
    owned.push_back(info.make());
    checks.push_back(owned.back().get());
  }
  Budget budget;
  budget.executions = kMost;
  budget.count_traces = false;
  const Exploration result = Explorer(**strategy, target, checks, budget, false, {}).run();
  return result.bugs.empty() ? 0 : result.bugs.front().execution;
}

std::string cell(Target& target, const Way& way) {
  uint64_t sum = 0, missed = 0;
  const uint64_t runs = way.seeded ? kSeeds : 1;
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    const uint64_t n = until_bug(target, way, seed);
    missed += n == 0;
    sum += n == 0 ? kMost : n;
  }
  const std::string mean = std::to_string((sum + runs / 2) / runs);
  return missed ? "> " + mean : mean;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::string head = "| program |", rule = "| --- |";
  for (const Way& way : kWays) {
    head.append(" ").append(way.title).append(" |");
    rule.append(" ---: |");
  }
  std::printf("%s\n%s\n", head.c_str(), rule.c_str());
  for (const char* program : kPrograms) {
    TargetOptions options;
    options.command = {std::string(argv[2]) + "/" + program};
    options.runtime_library = argv[1];
    auto target = Target::start(options);
    if (!target) {
      std::fprintf(stderr, "%s\n", target.error().message.c_str());
      return 1;
    }
    std::string row = std::string("| ") + program + " |";
    for (const Way& way : kWays) row.append(" ").append(cell(**target, way)).append(" |");
    std::printf("%s\n", row.c_str());
    std::fflush(stdout);
  }
}
