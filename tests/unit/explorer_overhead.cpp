// What the explorer itself costs per execution: a search over two threads with ten steps each, whose executions are
// made by writing thread numbers into a canned trace. The cost of making them is measured by itself and subtracted.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/outcome.hpp"
#include "search/explorer.hpp"
#include "search/strategies/dfs.hpp"
#include "search/strategies/icb.hpp"

using namespace lockstep;

namespace {

constexpr int kPerThread = 10, kSteps = 2 * kPerThread;

class CannedExecutor final : public Executor {
 public:
  explicit CannedExecutor(size_t window) : ring_(window), window_(window) {
    TraceBuilder b;
    b.steps.resize(kSteps);
    for (Step& s : b.steps) s.kind = OpKind::Rmw;
    b.header.decisions = kSteps;
    b.header.threads = 3;
    trace_ = b.build();
  }
  size_t window() const override { return window_; }
  void submit(const Plan& plan) override {
    ring_[written_++ % window_].assign(plan.deltas.begin(), plan.deltas.end());
  }
  std::optional<TraceView> next(const std::function<bool()>&) override {
    write(ring_[read_++ % window_]);
    return trace_.view();
  }
  void cancel() override { read_ = written_ = 0; }

 private:
  void write(const std::vector<Delta>& deltas) {
    auto* steps = const_cast<Step*>(trace_.view().steps().data());
    int left[3] = {0, kPerThread, kPerThread};
    unsigned running = 1;
    auto delta = deltas.begin();
    for (uint32_t i = 0; i < kSteps; ++i) {
      if (!left[running]) running = 3 - running;
      if (delta != deltas.end() && delta->step == i) running = (delta++)->value;
      steps[i].enabled = (left[1] ? 2u : 0u) | (left[2] ? 4u : 0u);
      steps[i].thread = ThreadId(running);
      --left[running];
    }
  }

  std::vector<std::vector<Delta>> ring_;
  size_t window_, written_ = 0, read_ = 0;
  Trace trace_;
};

using Clock = std::chrono::steady_clock;
double ns(Clock::duration d) { return std::chrono::duration<double, std::nano>(d).count(); }

void measure(const char* name, std::unique_ptr<Strategy> strategy, uint64_t executions) {
  CannedExecutor executor(64);
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  Budget budget;
  budget.executions = executions;
  const auto start = Clock::now();
  const Exploration r = Explorer(*strategy, executor, analyses, budget, false, {}).run();
  const double whole = ns(Clock::now() - start) / static_cast<double>(r.executions);

  CannedExecutor alone(64);
  Plan plan;
  plan.deltas = {{3, 2}, {7, 1}, {9, 2}, {12, 1}};
  uint64_t sum = 0;
  const auto begin = Clock::now();
  for (uint64_t i = 0; i < r.executions; ++i) {
    alone.submit(plan);
    sum += static_cast<uint64_t>(alone.next({})->steps()[kSteps - 1].thread);
  }
  const double making = ns(Clock::now() - begin) / static_cast<double>(r.executions);
  std::printf("%-8s %8llu executions  %6.0f ns each, %4.0f of them the canned executor: overhead %4.0f ns (peak %llu nodes)%s\n",
              name, static_cast<unsigned long long>(r.executions), whole, making, whole - making,
              static_cast<unsigned long long>(r.peak_frontier_nodes), sum ? "" : "!");
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t executions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  measure("dfs", make_dfs({}), executions);
  measure("icb", make_icb({}), executions);
}
