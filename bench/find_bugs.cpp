// How many executions each strategy needs until it meets the bug of each program.
//   find_bugs LOCKSTEP RUNTIME PROGRAMS_DIR [--set NAME] [--program A,B] [--way X,Y] [--most N] [--seeds N]
//             [--cells mean|each]
// Strategies with a seed: the mean over the seeds; "> N" if a run ended without the bug. `--cells each`: one number for
// every seed, 0 if the bug was not met. At the end, for each set of programs, in how many runs of a hundred the bug was
// met within 100, 1,000 and 10,000 executions, and the geometric mean of the executions over all runs.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis_registry.hpp"
#include "find_bugs.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "target/target.hpp"

using namespace lockstep;

namespace {

constexpr uint64_t kLimits[] = {100, 1'000, 10'000};

struct Settings {
  std::string lockstep, runtime, programs, set, program, way, cells;
  uint64_t most = 10'000, seeds = 20;
} settings;

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
  budget.executions = settings.most;
  budget.count_traces = false;
  const Exploration result = Explorer(**strategy, target, checks, budget, false, {}).run();
  return result.bugs.empty() ? 0 : result.bugs.front().execution;
}

// The same through the command line, which makes scheduling points of racy accesses.
uint64_t until_bug(const Program& program, const Way& way, uint64_t seed) {
  const std::string out = "/tmp/lockstep-find-bugs." + std::to_string(getpid());
  const std::string command =
      settings.lockstep + " run --quiet --progress never --workers 1 --no-shrink --races ignore --steps 10000" +
      " --strategy " + way.spec + " --rank " + way.rank + " --seed " + std::to_string(seed) + " --executions " +
      std::to_string(settings.most) + " --out " + out + " --json " + out + ".json " + settings.programs + "/" +
      program.name + " " + program.argument + " >/dev/null 2>&1";
  std::system(("rm -rf " + out + " " + out + ".json").c_str());
  std::system(command.c_str());
  uint64_t execution = 0;
  if (FILE* file = std::fopen((out + ".json").c_str(), "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, file))
      if (const char* key = std::strstr(line, "\"execution\":"); key && execution == 0)
        execution = std::strtoull(key + std::strlen("\"execution\":"), nullptr, 10);
    std::fclose(file);
  }
  std::system(("rm -rf " + out + " " + out + ".json").c_str());
  return execution;
}

// Runs that met the bug soon, each program counting the same.
struct Tally {
  double within[std::size(kLimits)] = {};
  double logs = 0;  // of the executions until the bug
  double programs = 0;
};
Tally tallies[std::size(kBugSets)][std::size(kWays)];

std::string cell(const Program& program, Target* target, const Way& way) {
  Tally& tally = tallies[static_cast<size_t>(program.set)][&way - kWays];
  ++tally.programs;
  uint64_t sum = 0, missed = 0;
  const uint64_t runs = way.seeded ? settings.seeds : 1;
  std::string each;
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    const uint64_t n = target ? until_bug(*target, way, seed) : until_bug(program, way, seed);
    missed += n == 0;
    for (size_t i = 0; i < std::size(kLimits); ++i)
      tally.within[i] += n > 0 && n <= kLimits[i] ? 1.0 / static_cast<double>(runs) : 0;
    const uint64_t executions = n == 0 ? settings.most : n;
    sum += executions;
    tally.logs += std::log(static_cast<double>(executions)) / static_cast<double>(runs);
    each += (each.empty() ? "" : " ") + std::to_string(n);
  }
  if (settings.cells == "each") return each;
  const std::string mean = std::to_string((sum + runs / 2) / runs);
  return missed ? "> " + mean : mean;
}

bool wanted(const std::string& filter, const std::string& name) {
  return filter.empty() || ("," + filter + ",").find("," + name + ",") != std::string::npos;
}

std::unique_ptr<Target> start(const Program& program) {
  TargetOptions options;
  options.command = {settings.programs + "/" + program.name};
  if (*program.argument) options.command.emplace_back(program.argument);
  options.runtime_library = settings.runtime;
  auto target = Target::start(options);
  if (!target) {
    std::fprintf(stderr, "%s\n", target.error().message.c_str());
    std::exit(1);
  }
  return std::move(*target);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  settings.lockstep = argv[1];
  settings.runtime = argv[2];
  settings.programs = argv[3];
  for (int i = 4; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--set")
      settings.set = argv[i + 1];
    else if (option == "--program")
      settings.program = argv[i + 1];
    else if (option == "--way")
      settings.way = argv[i + 1];
    else if (option == "--most")
      settings.most = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--seeds")
      settings.seeds = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--cells")
      settings.cells = argv[i + 1];
    else
      return 2;
  }
  std::string head = "| program |", rule = "| --- |";
  for (const Way& way : kWays) {
    if (!wanted(settings.way, way.title)) continue;
    head.append(" ").append(way.title).append(" |");
    rule.append(" ---: |");
  }
  std::printf("%s\n%s\n", head.c_str(), rule.c_str());
  for (const Program& program : kPrograms) {
    if (!wanted(settings.program, program.name) || !wanted(settings.set, kBugSets[static_cast<size_t>(program.set)]))
      continue;
    const std::unique_ptr<Target> target = program.plain ? nullptr : start(program);
    std::string row = std::string("| ") + program.name + (*program.argument ? " " : "") + program.argument + " |";
    for (const Way& way : kWays)
      if (wanted(settings.way, way.title)) row.append(" ").append(cell(program, target.get(), way)).append(" |");
    std::printf("%s\n", row.c_str());
    std::fflush(stdout);
  }
  for (size_t set = 0; set < std::size(kBugSets); ++set)
    for (size_t way = 0; way < std::size(kWays); ++way) {
      const Tally& tally = tallies[set][way];
      if (tally.programs == 0) continue;
      std::printf("%s set, %s: met within 100, 1,000, 10,000 executions in", kBugSets[set], kWays[way].title);
      for (const double within : tally.within) std::printf(" %.1f%%", 100 * within / tally.programs);
      std::printf(" of the runs of %.0f programs, geometric mean %.2f\n", tally.programs,
                  std::exp(tally.logs / tally.programs));
    }
}
