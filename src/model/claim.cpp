// Claims: names of provisos, and whether a claim is complete.
#include "model/claim.hpp"

#include <algorithm>

namespace lockstep {

const char* name_of(ProvisoKind kind) {
  static constexpr const char* kNames[] = {
      "uninstrumented", "uncontrolled-loop", "spin-rounds",         "cut",       "lost",         "nondeterministic",
      "lock-misuse",    "criteria",          "no-scheduling-point", "sync-only", "memory-order", "spurious"};
  static_assert(std::size(kNames) == static_cast<size_t>(ProvisoKind::kCount));
  return kNames[static_cast<size_t>(kind)];
}

bool Claim::complete() const {
  return finished && !ended_by_bug && (scope == Scope::Executions || scope == Scope::BlockOrders) &&
         std::none_of(provisos.begin(), provisos.end(), [](const Proviso& p) { return p.hides_executions; });
}

const Proviso* Claim::find(ProvisoKind kind) const {
  const auto found =
      std::find_if(provisos.begin(), provisos.end(), [kind](const Proviso& p) { return p.kind == kind; });
  return found == provisos.end() ? nullptr : &*found;
}

}  // namespace lockstep
