#include "search/claims.hpp"

namespace lockstep {
namespace {
constexpr const char* kProviso = ", if free of data races";
}

std::string count_of(uint64_t n, const char* thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

std::string without_proviso(std::string claim) {
  if (const size_t at = claim.find(kProviso); at != claim.npos) claim.erase(at, std::char_traits<char>::length(kProviso));
  return claim;
}

std::string but_for_atomics(std::string claim) {
  if (const size_t at = claim.find(kProviso); at != claim.npos)
    claim.insert(at + std::char_traits<char>::length(kProviso), " and atomics");
  return claim;
}

std::string claim_every_execution() { return std::string("every execution") + kProviso; }

std::string claim_every_trace(uint64_t traces) {
  return "every execution (" + count_of(traces, "trace") + ")" + kProviso;
}

std::string claim_block_orders(std::optional<uint32_t> preemptions) {
  std::string claim = "every order of atomic blocks";
  if (preemptions) claim += " with at most " + count_of(*preemptions, "preemption");
  return claim + kProviso;
}

std::string claim_at_most(uint32_t bound, const char* unit, uint32_t variables) {
  return "every execution with at most " + count_of(bound, unit) + " at accesses to at most " + count_of(variables, "variable") + kProviso;
}

std::string claim_variables(uint32_t variables) {
  return "every execution with preemptions at accesses to at most " + count_of(variables, "variable") + kProviso;
}

std::string claim_by_cost(uint32_t preemptions) {
  return "every execution with at most " + count_of(preemptions, "preemption") +
         ", by what its trace costs, explored with a slack of all threads but two" + kProviso;
}

std::string claim_at_most(uint32_t bound, const char* unit) {
  return "every execution with at most " + count_of(bound, unit) + kProviso;
}

std::string told_losses(uint64_t unrepeated, uint64_t lost, uint64_t cut) {
  if (unrepeated) return count_of(unrepeated, "execution") + " did not repeat what an earlier one had done";
  if (lost) return count_of(lost, "execution") + " ended with the death of a worker";
  if (cut) return count_of(cut, "execution") + " cut short by the step limit";
  return {};
}

}  // namespace lockstep
