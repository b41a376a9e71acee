// Measures what README.md states of the runtime and the channel. Usage: measure RUNTIME PROGRAMS_DIR
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "target/target.hpp"

using namespace lockstep;

namespace {

using Clock = std::chrono::steady_clock;
std::string runtime_library, programs;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::unique_ptr<Target> start(const std::vector<std::string>& command, Isolation isolation,
                              Backend backend = Backend::Auto) {
  TargetOptions options;
  options.command = command;
  options.command[0] = programs + "/" + command[0];
  options.runtime_library = runtime_library;
  options.isolation = isolation;
  options.backend = backend;
  options.detect_races = false;  // see monitors.cpp for what that costs
  auto target = Target::start(options);
  if (!target) {
    std::fprintf(stderr, "%s\n", target.error().message.c_str());
    std::exit(1);
  }
  return std::move(*target);
}

struct Speed {
  double executions_per_second, seconds_per_execution, steps;
};

// Plans of one policy, one worker, as many in flight as a search would have.
Speed run(Target& target, uint64_t count, Policy policy) {
  uint64_t sent = 0, steps = 0;
  const auto begin = Clock::now();
  for (uint64_t got = 0; got < count; ++got) {
    for (; sent < count && sent - got < target.window(); ++sent) {
      Plan plan;
      plan.id = sent;
      plan.policy = policy;
      plan.seed = sent;
      target.submit(plan);
    }
    steps += target.next(nullptr)->header().decisions;
  }
  const double seconds = seconds_since(begin);
  return {static_cast<double>(count) / seconds, seconds / static_cast<double>(count),
          static_cast<double>(steps) / static_cast<double>(count)};
}

template <class F>
double best_of(int rounds, F&& measure) {
  double best = measure();
  for (int i = 1; i < rounds; ++i) best = std::max(best, measure());
  return best;
}

double native_speed() {
  FILE* pipe = popen((programs + "/small_body native 20000").c_str(), "r");
  double speed = 0;
  if (!pipe || std::fscanf(pipe, "%lf", &speed) != 1) speed = 0;
  if (pipe) pclose(pipe);
  return speed;
}

double search_speed(const char* spec) {
  auto target = start({"points", "2", "10"}, Isolation::Reset);
  StrategyOptions options;
  options.spec = spec;
  options.preemptions_none = std::string(spec) != "random";
  auto strategy = make_strategy(options);
  Budget budget;
  budget.executions = 300'000;
  const Exploration result = Explorer(**strategy, *target, {}, budget, true, {}).run();
  return static_cast<double>(result.executions) / result.seconds;
}

void row(const char* what, double value, const char* unit, const std::string& wanted) {
  std::printf("| %s | %.*f %s | %s |\n", what, value < 100 ? 1 : 0, value, unit, wanted.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  runtime_library = argv[1];
  programs = argv[2];
  const double native = best_of(3, native_speed);
  auto body = [](Isolation isolation, Backend backend, uint64_t n) {
    auto target = start({"small_body"}, isolation, backend);
    return best_of(3, [&] { return run(*target, n, Policy::Random).executions_per_second; });
  };
  const double loop = body(Isolation::Loop, Backend::Fiber, 500'000),
               reset = body(Isolation::Reset, Backend::Fiber, 500'000);
  const double threads = body(Isolation::Reset, Backend::OsThread, 5'000),
               forks = body(Isolation::Fork, Backend::Fiber, 3'000);

  // Cost of a point: the same program with and without the points. The rest of an execution cancels out.
  auto per_execution = [](const char* threads_count, const char* n, Policy policy) {
    auto target = start({"points", threads_count, n}, Isolation::Reset);
    return 1 / best_of(5, [&] { return run(*target, 2000, policy).executions_per_second; });
  };
  const double point =
      (per_execution("1", "2001", Policy::Default) - per_execution("1", "1", Policy::Default)) / 2000 * 1e9;
  const double random1 =
      (per_execution("1", "2001", Policy::Random) - per_execution("1", "1", Policy::Random)) / 2000 * 1e9;
  const double random2 =
      (per_execution("2", "1001", Policy::Random) - per_execution("2", "1", Policy::Random)) / 2000 * 1e9;

  std::printf("| what | measured | wanted |\n| --- | --- | --- |\n");
  row("small body, `loop`, random, one worker", loop, "executions/s", "≥ 500,000");
  row("small body, `reset`, random, one worker", reset, "executions/s", "≥ 400,000");
  row("small body, native threads, uncontrolled", native, "executions/s", "");
  row("`reset` against native", native > 0 ? reset / native : 0, "times", "≥ 8");
  row("small body, `reset`, OS threads", threads, "executions/s", "");
  row("small body, `fork`", forks, "executions/s", "");
  row("scheduling point that continues the same thread, with its record", point, "ns", "≤ 15");
  row("a switch, beyond that (random walk over two threads)", 2 * (random2 - random1), "ns", "≤ 40");
  row("depth-first search, 20 steps, one worker", search_speed("dfs"), "executions/s", "");
  row("iterative context bounding, 20 steps, one worker", search_speed("icb"), "executions/s", "");
  row("random, 20 steps, one worker", search_speed("random"), "executions/s", "");
}
