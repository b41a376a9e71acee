// A claim in a few characters, to be compared: "all", "all, 36 traces", "preemptions 1", "" if nothing is known.
#pragma once
#include <string>

#include "search/exploration/explorer.hpp"

namespace lockstep {

inline std::string known(const Claim& claim) {
  if (claim.scope == Scope::None) return "";
  if (claim.scope == Scope::Sample) return "sample";
  std::string text = claim.scope == Scope::BlockOrders ? "blocks" : "";
  if (claim.bounds.preemptions) text += "preemptions " + std::to_string(*claim.bounds.preemptions);
  if (claim.bounds.delays) text += "delays " + std::to_string(*claim.bounds.delays);
  if (claim.bounds.variables) text += ", variables " + std::to_string(*claim.bounds.variables);
  if (claim.by_trace_cost) text += " by cost";
  if (text.empty()) text = "all";
  return claim.traces ? text + ", " + std::to_string(*claim.traces) + " traces" : text;
}
inline std::string known(const Exploration& result) { return known(result.claim); }

}  // namespace lockstep
