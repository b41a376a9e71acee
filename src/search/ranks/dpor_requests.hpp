// The backtracking points that dynamic partial order reduction adds after an execution (Flanagan & Godefroid 2005): for
// each race, the thread of the later operation at the step of the earlier one.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/happens_before.hpp"
#include "search/ranks/execution_view.hpp"

namespace lockstep {

class DporRequests {
 public:
  enum class Request : uint8_t { Race, Conservative };  // Conservative: the racing thread is not enabled there

  void look(const ExecutionView& execution);
  std::optional<Request> find(uint32_t step, uint16_t value) const;

 private:
  void add_requests(const ExecutionView& execution, uint32_t step, ThreadId wanted, const HappensBefore& order,
                    uint32_t later);
  void put(uint32_t step, ThreadId t, Request request);

  std::unordered_map<uint64_t, Request> points_;
  std::vector<uint32_t> races_;
  HappensBefore order_;  // of the last execution
};

}  // namespace lockstep
