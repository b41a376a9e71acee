// What a reduction costs per execution, by itself: all executions of a program are made first, then a fresh search is
// fed with them. An event is new if no earlier execution began with the same decisions up to it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "analysis/fingerprint.hpp"
#include "fake_executor.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "zoo.hpp"

using namespace lockstep;
using namespace lockstep::fake;

namespace {

using Clock = std::chrono::steady_clock;
using MakeStrategy = std::function<std::unique_ptr<Search>()>;

// Two threads, i += j and j += i, n times each.
Program fibonacci(int n) {
  Program p{.name = "fib(" + std::to_string(n) + ")", .threads = {{}, {}}};
  for (int t = 0; t < 2; ++t)
    for (int k = 0; k < n; ++k) {
      p.threads[static_cast<size_t>(t)].push_back(ld(t, 0));
      p.threads[static_cast<size_t>(t)].push_back(ld(1 - t, 1));
      p.threads[static_cast<size_t>(t)].push_back(st(t, [](const Registers& r) { return r[0] + r[1]; }));
    }
  return p;
}

void measure(const char* name, const MakeStrategy& make, const Program& program, size_t most) {
  std::vector<Trace> traces;
  uint64_t fresh = 0, steps = 0;
  {
    const auto strategy = make();
    while (traces.size() < most) {
      const auto plan = strategy->next();
      if (!plan) break;
      traces.push_back(execute(program, *plan));
      const auto all = static_cast<uint32_t>(traces.back().view().steps().size());
      uint32_t shared = 0;
      for (const Delta& d : plan->deltas)
        if (d.step != kNextDecision) shared = d.step;
      fresh += all - shared;
      steps += all;
      strategy->learn(traces.back());
    }
  }
  double best = 1e18, counting = 1e18;
  for (int round = 0; round < 7; ++round) {
    const auto strategy = make();
    auto start = Clock::now();
    for (const Trace& trace : traces) {
      (void)strategy->next();
      strategy->learn(trace);
    }
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    Fingerprinter fingerprinter;
    start = Clock::now();
    for (const Trace& trace : traces) {
      fingerprinter.begin();
      for (const Step& step : trace.view().steps()) fingerprinter.add(step);
    }
    counting = std::min(counting, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  const auto n = static_cast<double>(traces.size());
  std::printf(
      "%-8s %-22s %8zu executions, %5.1f records, %5.1f new: %6.0f ns each, %4.0f ns per new record; fingerprint %4.0f "
      "ns\n",
      name, program.name.c_str(), traces.size(), static_cast<double>(steps) / n, static_cast<double>(fresh) / n,
      best / n, best / static_cast<double>(fresh), counting / n);
}

}  // namespace

int main() {
  const Program programs[] = {fibonacci(4), last_zero(11), mutex_counter(3, 3), same_write(3, 4), philosophers(6)};
  for (const Program& p : programs) {
    measure(
        "optimal", [] { return make_optimal_dpor({}); }, p, 100'000);
    measure(
        "source", [] { return make_source_dpor({}); }, p, 100'000);
  }
}
