// How much memory the execution tree needs over time, against a tree of partial schedules over the same open executions
// (GAMBIT, figure 5). Usage: tree_memory RUNTIME PROGRAM SVG [EXECUTIONS [ARGUMENT]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "search/exploration/explorer.hpp"
#include "search/ranks/rank_registry.hpp"
#include "search/strategies/best_first.hpp"
#include "search/tree/tree_search.hpp"
#include "target/target.hpp"

using namespace lockstep;

namespace {

constexpr uint64_t kEvery = 1000;  // executions between samples
// Of the tree of partial schedules; besides, each open execution stands once in the frontier.
constexpr uint64_t kNodeBytes = sizeof(ExecutionTree::Node), kOpenBytes = sizeof(NodeIndex);

struct Sample {
  uint64_t executions, open;
  uint64_t compressed, partial;  // bytes
};

class Sampler final : public Strategy {
 public:
  explicit Sampler(TreeSearch& search) : search_(search) {}
  std::optional<Plan> next() override { return search_.next(); }
  void learn(TraceView trace) override {
    search_.learn(trace);
    steps = std::max(steps, trace.header().decisions);
    if (++executions_ % kEvery != 0) return;
    const uint64_t open = search_.frontier_nodes();
    samples.push_back(
        {executions_, open, search_.memory_bytes(), search_.partial_schedules() * kNodeBytes + open * kOpenBytes});
  }
  Claim claim() const override { return search_.claim(); }
  void save(StateWriter& out) const override { search_.save(out); }
  void load(StateReader& in) override { search_.load(in); }
  std::vector<Sample> samples;
  uint32_t steps = 0;

 private:
  TreeSearch& search_;
  uint64_t executions_ = 0;
};

// Both curves, the vertical axis in MB.
void draw(const std::vector<Sample>& samples, const std::string& title, const char* path) {
  constexpr double kWidth = 640, kHeight = 360, kLeft = 60, kTop = 40;
  double most = 1e-9;
  for (const Sample& s : samples) most = std::max(most, static_cast<double>(s.partial) / 1e6);
  const double last = static_cast<double>(samples.back().executions);
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 740 460\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n"
      << "<rect width=\"740\" height=\"460\" fill=\"white\"/>\n<text x=\"60\" y=\"24\" font-size=\"14\">" << title
      << "</text>\n"
      << "<path d=\"M60 40V400H700\" fill=\"none\" stroke=\"black\"/>\n";
  for (int i = 0; i <= 4; ++i) {
    char label[32];
    std::snprintf(label, sizeof label, "%.2f", most * i / 4);
    out << "<text x=\"54\" y=\"" << kTop + kHeight * (1 - i / 4.0) + 4 << "\" text-anchor=\"end\">" << label
        << "</text>\n"
        << "<text x=\"" << kLeft + kWidth * i / 4.0 << "\" y=\"418\" text-anchor=\"middle\">"
        << static_cast<uint64_t>(last * i / 4) << "</text>\n";
  }
  out << "<text x=\"14\" y=\"30\">MB</text><text x=\"380\" y=\"440\" text-anchor=\"middle\">executions</text>\n";
  const auto curve = [&](const char* colour, auto&& bytes) {
    out << "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" << colour << "\" points=\"";
    for (const Sample& s : samples)
      out << kLeft + kWidth * static_cast<double>(s.executions) / last << ','
          << kTop + kHeight * (1 - static_cast<double>(bytes(s)) / 1e6 / most) << ' ';
    out << "\"/>\n";
  };
  curve("#c33", [](const Sample& s) { return s.partial; });
  curve("#136", [](const Sample& s) { return s.compressed; });
  out << "<text x=\"80\" y=\"60\" fill=\"#c33\">tree of partial schedules</text>"
      << "<text x=\"80\" y=\"78\" fill=\"#136\">execution tree</text>\n</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  TargetOptions options;
  options.command = {argv[2]};
  if (argc > 5) options.command.emplace_back(argv[5]);
  options.runtime_library = argv[1];
  auto target = Target::start(options);
  if (!target) {
    std::fprintf(stderr, "%s\n", target.error().message.c_str());
    return 1;
  }
  auto strategy = make_best_first({.preemptions = 2}, std::move(*make_ranks("mdpor,pb", {})));
  Sampler sampler(dynamic_cast<TreeSearch&>(*strategy));
  Budget budget;
  budget.executions = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 100'000;
  budget.count_traces = false;
  Explorer(sampler, **target, {}, budget, true, {}).run();
  if (sampler.samples.empty()) return 1;
  const auto peak = *std::max_element(sampler.samples.begin(), sampler.samples.end(),
                                      [](const Sample& a, const Sample& b) { return a.compressed < b.compressed; });
  draw(sampler.samples, "Open executions of best-first search (mdpor,pb; at most 2 preemptions)", argv[3]);
  std::printf(
      "execution tree of best-first (mdpor,pb, 2 preemptions), executions of %u steps: at its largest %.2f MB for %llu "
      "open "
      "executions; a tree of partial schedules: %.2f MB: %.1f times as much; plot in %s\n",
      sampler.steps, static_cast<double>(peak.compressed) / 1e6, static_cast<unsigned long long>(peak.open),
      static_cast<double>(peak.partial) / 1e6, static_cast<double>(peak.partial) / static_cast<double>(peak.compressed),
      argv[3]);
}
