// Dynamic partial order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson & Sagonas 2014): every
// trace once; a few executions are begun in vain and cut short.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/dpor/walk.hpp"

namespace lockstep {

struct SourceDporOptions {
  std::optional<uint32_t> preemptions{};  // of the cheapest execution of a trace; none: all traces
  uint32_t max_steps = kNoStepLimit;
  int slack = -1;                          // as much as is needed; tests show that less is noticed
  std::optional<dpor::DporOrder> order{};  // none: depth-first
  unsigned lanes = 1;                      // see DporParts; not within a bound
  bool for_one_worker = false;             // likewise
  bool sleep_sets = true;
  uint32_t window = ~0u;            // most executions under way
  bool all_siblings_sleep = false;  // wrong; tests show that it is noticed
};

std::unique_ptr<Search> make_source_dpor(const SourceDporOptions& options);

}  // namespace lockstep
