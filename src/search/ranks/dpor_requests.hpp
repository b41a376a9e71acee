// What a partial order reduction would ask for after an execution: for each race, the later operation's thread at the
// step of the earlier one (Flanagan & Godefroid 2005).
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/happens_before.hpp"
#include "search/ranks/execution_view.hpp"

namespace lockstep {

class Asked {
 public:
  enum class How : uint8_t { Exactly, ToBeSafe };  // ToBeSafe: the racing thread itself could not run there

  void look(const Outlook& outlook);
  std::optional<How> how(uint32_t step, uint16_t value) const;

 private:
  void ask(const Outlook& outlook, uint32_t step, ThreadId wanted, const HappensBefore& order, uint32_t later);
  void put(uint32_t step, ThreadId t, How how);

  std::unordered_map<uint64_t, How> points_;
  std::vector<uint32_t> races_;
  HappensBefore order_;  // of the execution looked at
};

}  // namespace lockstep
