#include "crew/unit_service.hpp"

#include <utility>

#include "analysis/analysis_registry.hpp"
#include "analysis/output.hpp"
#include "analysis/race_analysis.hpp"
#include "search/strategies/strategy_registry.hpp"

namespace lockstep {
namespace {

// In the order in which they are written; the same for reading and writing.
template <class Options, class F>
void for_each_number(Options& options, F&& visit) {
  visit(options.preemptions);
  visit(options.preemptions_none);
  visit(options.variables);
  visit(options.thread_bound);
  visit(options.loop_iterations);
  visit(options.seed);
  visit(options.max_steps);
  visit(options.workers);
  visit(options.divided);
  visit(options.budget_given);
}

SearchDescription get_description(StateReader& in) {
  SearchDescription search;
  search.strategy.spec = in.get_text();
  for_each_number(search.strategy, [&in](auto& value) { value = in.get<std::decay_t<decltype(value)>>(); });
  search.points.places = in.get_all<uint64_t>();
  search.points.aliases = in.get_all<Alias>();
  for (bool* flag : {&search.looks_for_points, &search.count_traces, &search.races_are_bugs})
    *flag = in.get<uint8_t>() != 0;
  if (in.get<uint8_t>() != 0) search.expected_output = in.get_text();
  return search;
}

}  // namespace

std::string pack(const SearchDescription& search) {
  StateWriter out;
  out.put_text(search.strategy.spec);
  for_each_number(search.strategy, [&out](const auto& value) { out.put(value); });
  out.put_all(search.points.places);
  out.put_all(search.points.aliases);
  for (const bool flag : {search.looks_for_points, search.count_traces, search.races_are_bugs}) out.put(flag);
  out.put(search.expected_output.has_value());
  if (search.expected_output) out.put_text(*search.expected_output);
  return std::move(out.bytes());
}

std::optional<UnitResult> explore_order(const CrewOrder& order, Search& search, Target& target,
                                        const UnitSettings& settings, uint64_t& resumed,
                                        const std::function<bool()>& hurry) {
  std::optional<UnitResult> result = explore_unit(order.unit, search, target, settings, hurry);
  if (!result) return std::nullopt;
  const uint64_t resumed_now = target.resumed();
  result->target = pack(ProgramNews{.threads_before = order.threads.size(),
                                    .threads = target.threads(),
                                    .facts = target.noticed(),
                                    .libraries = target.libraries(),
                                    .native_loops = target.native_loops(),
                                    .resumed = resumed_now - std::exchange(resumed, resumed_now)});
  return result;
}

std::unique_ptr<Search> UnitService::make_search() const {
  Result<std::unique_ptr<Search>> search = make_strategy(search_.strategy);
  return search && (*search)->division() ? std::move(*search) : nullptr;
}

std::unique_ptr<UnitService> UnitService::make(const std::string& description) {
  StateReader in(description);
  std::unique_ptr<UnitService> service(new UnitService);
  service->search_ = get_description(in);
  if (!in.good() || !in.at_end() || !service->make_search()) return nullptr;
  // What the coordinator ignores by its suppressions is sent to it all the same.
  for (const AnalysisInfo& info : analyses()) {
    Analysis* analysis = service->analyses_.emplace_back(info.make()).get();
    service->used_.push_back(analysis);
    if (auto* output = dynamic_cast<OutputAnalysis*>(analysis)) output->expected = service->search_.expected_output;
    if (auto* races = dynamic_cast<RaceAnalysis*>(analysis)) races->races_count = service->search_.races_are_bugs;
  }
  return service;
}

std::optional<UnitService::Answer> UnitService::explore(const CrewOrder& order, Target& target) {
  const UnitSettings settings{.analyses = used_,
                              .points = search_.points,
                              .looks_for_points = search_.looks_for_points,
                              .count_traces = search_.count_traces};
  uint64_t resumed = target.resumed();
  const std::optional<UnitResult> result =
      explore_order(order, *make_search(), target, settings, resumed, [] { return false; });
  if (!result) return std::nullopt;
  StateWriter out;
  put_result(out, *result);
  return Answer{std::move(out.bytes()), ExecutionReader(result->executions).executions().size()};
}

}  // namespace lockstep
