// Collects distinct outputs by their hashes.
#include "campaign/outputs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "campaign/campaign.hpp"
#include "model/schedule.hpp"

namespace lockstep {

void Outputs::add(TraceView trace, const Plan& plan, uint64_t execution) {
  const auto [place, fresh] = by_hash_.try_emplace(trace.header().output);
  Output& output = place->second;
  ++output.executions;
  if (!fresh) return;
  output.first = execution;
  output.plan = trace.is_brief() ? plan : plan_of(trace);
}

std::vector<Outputs::Output> Outputs::in_order() const {
  std::vector<Output> all;
  for (const auto& [hash, output] : by_hash_) all.push_back(output);
  std::sort(all.begin(), all.end(), [](const Output& a, const Output& b) { return a.first < b.first; });
  return all;
}

std::string Campaign::write_outputs() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  unsigned number = 0;
  for (const Outputs::Output& output : outputs_.in_order()) {
    Finding example;
    example.kind = FindingKind::Assertion;
    example.message = "one of the outputs";
    example.execution = output.first;
    example.plan = output.plan;
    example.plan.max_steps = options_.steps;
    example.schedule = fmt::format("{}/output-{}.lockstep", options_.out, ++number);
    Target::Detailed replay = target_->run_detailed(example.plan);
    if (replay.trace.empty()) continue;
    example.trace = std::move(replay.trace);
    if (auto error = save_schedule_of(example)) listener_.warn(error->message);
    all.push_back({{"output", replay.output},
                   {"executions", output.executions},
                   {"first", output.first},
                   {"schedule", example.schedule}});
  }
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep
