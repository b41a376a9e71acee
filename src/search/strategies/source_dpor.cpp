// Builds `source-dpor` from DporSearch and source sets.
#include "search/strategies/source_dpor.hpp"

#include "search/dpor/dpor_search.hpp"
#include "search/dpor/source_sets.hpp"
#include "search/dpor/trace_bound.hpp"

namespace lockstep {
using namespace dpor;

std::unique_ptr<Search> make_source_dpor(const SourceDporOptions& options) {
  DporParts parts;
  parts.reversal = std::make_unique<SourceSets>();
  parts.max_steps = options.max_steps;
  parts.preemptions = options.preemptions;
  parts.sleep_sets = options.sleep_sets;
  parts.window = options.window;
  parts.each_trace_once = !options.order && options.sleep_sets;
  parts.order = options.order;
  if (!options.preemptions) parts.lanes = options.lanes;
  parts.for_one_worker = options.for_one_worker;
  parts.mistakes.all_siblings_sleep = options.all_siblings_sleep;
  if (options.preemptions) parts.is_beyond_bound = beyond_trace_cost(*options.preemptions, options.slack);
  return dpor_in_units(std::move(parts), options.division);
}

std::unique_ptr<Search> dpor_in_units(DporParts whole, const std::optional<DivisionSizes>& sizes) {
  if (!sizes || whole.preemptions) return std::make_unique<DporSearch>(std::move(whole));
  const auto unit = [lanes = sizes->lanes, max_steps = whole.max_steps] {
    DporParts parts;
    parts.reversal = std::make_unique<SourceSets>();
    parts.max_steps = max_steps;
    parts.lanes = lanes;
    parts.for_one_worker = true;
    return parts;
  };
  return std::make_unique<DividedDpor>(DividedParts{std::move(whole), unit, *sizes});
}

}  // namespace lockstep
