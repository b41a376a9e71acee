// What the explorer itself costs per execution: a search over two threads with ten steps each, whose executions are
// made by writing thread numbers into a canned trace. The cost of making them is measured by itself and subtracted.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/outcome.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/bounded.hpp"

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
  void submit(const Plan& plan) override { ring_[written_++ % window_].assign(plan.deltas.begin(), plan.deltas.end()); }
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

struct Cost {
  double whole = 1e9, making = 1e9;  // ns per execution, with the explorer and without
  uint64_t executions = 0, peak = 0;
};

void explore_once(Search& strategy, uint64_t executions, Cost& cost) {
  CannedExecutor executor(64);
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  Budget budget;
  budget.executions = executions;
  const auto start = Clock::now();
  const Exploration r = Explorer(strategy, executor, analyses, budget, false, {}).run();
  cost.whole = std::min(cost.whole, ns(Clock::now() - start) / static_cast<double>(r.executions));
  cost.executions = r.executions;
  cost.peak = r.peak_frontier_nodes;
}

void make_only(Cost& cost) {
  CannedExecutor executor(64);
  Plan plan;
  plan.deltas = {{3, 2}, {7, 1}, {9, 2}, {12, 1}};
  volatile unsigned last = 0;
  const auto start = Clock::now();
  for (uint64_t i = 0; i < cost.executions; ++i) {
    executor.submit(plan);
    last = index_of(executor.next({})->steps()[kSteps - 1].thread);
  }
  (void)last;
  cost.making = std::min(cost.making, ns(Clock::now() - start) / static_cast<double>(cost.executions));
}

// Best of several rounds: the machine may be busy with other things.
template <class Make>
void measure(const char* name, Make make, uint64_t executions) {
  Cost cost;
  for (int round = 0; round < 7; ++round) {
    const std::unique_ptr<Search> strategy = make();
    explore_once(*strategy, executions, cost);
    make_only(cost);
  }
  std::printf(
      "%-4s %llu executions of %d steps: overhead %.0f ns each (%.0f with the canned executor); peak %llu nodes\n",
      name, static_cast<unsigned long long>(cost.executions), kSteps, cost.whole - cost.making, cost.whole,
      static_cast<unsigned long long>(cost.peak));
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t executions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  measure(
      "dfs", [] { return make_dfs({}); }, executions);
  measure(
      "icb", [] { return make_icb({}); }, executions);
}
