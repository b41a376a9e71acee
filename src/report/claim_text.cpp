// Builds the sentences of claims and provisos.
#include "report/claim_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/summary.hpp"

namespace lockstep {
namespace {

constexpr size_t kMostPlaces = 5;

// "a.cpp:14, 31, b.cpp:2 and 3 more": names each file once.
std::string list(const std::vector<std::string>& places) {
  std::string text, file;
  for (size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) {
    const size_t colon = places[i].rfind(':');
    const std::string head = colon == std::string::npos ? "" : places[i].substr(0, colon + 1);
    const bool same = !head.empty() && head == file;
    text += (i == 0 ? "" : ", ") + (same ? places[i].substr(colon + 1) : places[i]);
    file = head;
  }
  if (places.size() > kMostPlaces) text += fmt::format(" and {} more", places.size() - kMostPlaces);
  return text;
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

std::string bounds_text(const Claim& claim) {
  const Bounds& b = claim.bounds;
  std::vector<std::string> parts;
  const auto add = [&parts](const std::optional<uint32_t>& bound, std::string_view one, std::string_view many) {
    if (bound) parts.push_back("at most " + plural(*bound, one, many));
  };
  add(b.preemptions, "preemption", "preemptions");
  add(b.delays, "delay", "delays");
  std::string text = parts.empty() ? "" : fmt::format(" with {}", fmt::join(parts, " and "));
  if (b.depth) text += " that deviates from the default schedule only in its first " + plural(*b.depth, "step");
  if (b.operations) text += ", with no preemption of a thread after its first " + plural(*b.operations, "operation");
  if (claim.by_trace_cost) text += " (trace-cost bounding)";
  if (b.variables) {
    text += parts.empty() ? " with preemptions" : "";
    text += " at accesses to at most ";
    text += claim.shared_variables
                ? fmt::format("{} of {}", *b.variables, plural(*claim.shared_variables, "shared variable"))
                : plural(*b.variables, "variable");
  }
  if (b.loop_iterations)
    text += fmt::format(" (of memory allocated in loops, the first {})",
                        plural(uint64_t{*b.loop_iterations} + 1, "iteration"));
  if (b.threads) {
    text += claim.certainty < 1 ? fmt::format(", with probability {:.2f}", claim.certainty) : "";
    text += " in every order of at most " + plural(*b.threads, "thread");
  }
  if (b.max_delay_ms) text += fmt::format(", with delays of at most {} ms", *b.max_delay_ms);
  return text;
}

// Empty if the probability is not meaningful.
std::string chance_text(const Chance& chance) {
  if (chance.missed > 0.9) return {};
  if (chance.of == Chance::Of::OrderOfOneObject)
    return fmt::format(
        "a given order of the operations on one object was missed with probability at most {:.3g}, if no thread blocks "
        "({}, at most {:.3g} orders)",
        chance.missed, plural(chance.objects, "object"), chance.orders);
  const std::string at = chance.variables ? " at " + plural(chance.variables, "variable") : "";
  const std::string of = chance.variables ? plural(chance.objects, "shared variable") + ", " +
                                                plural(chance.decisions, "access", "accesses")
                                          : plural(chance.decisions, "decision");
  return fmt::format("a given bug of depth {}{} was missed with probability at most {:.3g} ({}, {})", chance.depth, at,
                     chance.missed, plural(chance.threads, "thread"), of);
}

std::string text_of(const Proviso& p) {
  const std::string places = list(p.where);
  switch (p.kind) {
    case ProvisoKind::Uninstrumented: return "accesses in code that is not instrumented" + in_brackets(places);
    case ProvisoKind::UncontrolledLoop:
      return "values read by loops in code that is not instrumented" + in_brackets(places);
    case ProvisoKind::SpinRounds:
      return fmt::format("more than {} of the spin loop{} at {} (--spin-rounds)", plural(p.count, "round"),
                         p.where.size() == 1 ? "" : "s", places);
    case ProvisoKind::Cut: return fmt::format("{} cut off {}", plural(p.count, "execution"), p.why);
    case ProvisoKind::Lost: return fmt::format("{} lost ({})", plural(p.count, "execution"), p.why);
    case ProvisoKind::Nondeterministic: {
      std::string text = "the program is not deterministic";
      if (!p.where.empty()) text += ": it depends on " + places;
      return p.why.empty() ? text : fmt::format("{}{}{}", text, p.where.empty() ? ": " : "; ", p.why);
    }
    case ProvisoKind::LockMisuse: return "steps after the misuse of a lock at " + places;
    case ProvisoKind::Criteria:
      return "orders inside atomic blocks, because of " + (p.why.empty() ? places : p.why + in_brackets(places));
    case ProvisoKind::NoSchedulingPoint: return "preemptions at " + p.why;
    case ProvisoKind::SyncOnly: return "preemptions between synchronisation calls" + in_brackets(p.why);
    case ProvisoKind::MemoryOrder:
      return "weaker memory orders at " + places + (p.why.empty() ? "" : ", and in " + p.why);
    case ProvisoKind::Spurious:
      return "spurious wakeups of the condition wait" + std::string(p.where.size() == 1 ? "" : "s") + " at " + places +
             " (--spurious)";
    case ProvisoKind::kCount: break;
  }
  return {};
}

// The code in which threads are not preempted.
std::string trust_text(const Claim& claim) {
  std::string text = claim.trusts_code ? ", without preemptions in trusted code" : "";
  if (!claim.preempts_in.empty())
    text += fmt::format(", with preemptions only inside calls of {}", fmt::join(claim.preempts_in, ", "));
  return text;
}

std::string sample_text(const Exploration& result) {
  const std::string executions = plural(result.executions, "execution");
  const std::string chance = result.claim.chance ? chance_text(*result.claim.chance) : "";
  return chance.empty() ? "a sample of " + executions : fmt::format("a sample of {}: {}", executions, chance);
}

}  // namespace

std::string known_text(const Exploration& result) {
  const Claim& claim = result.claim;
  switch (claim.scope) {
    case Scope::None: return fmt::format("search not finished ({})", plural(result.executions, "execution"));
    case Scope::Sample: return sample_text(result);
    case Scope::BlockOrders:
      return "every order of atomic blocks" + bounds_text(claim) + trust_text(claim) +
             (claim.predicts_deadlocks ? "; no deadlock of locks or condition variables" : "");
    case Scope::Executions: break;
  }
  std::string text = claim.memory == MemoryModel::Any ? "every execution" : "every sequentially consistent execution";
  text += bounds_text(claim);
  return text + trust_text(claim);
}

std::vector<std::string> provisos_text(const Claim& claim) {
  std::vector<std::string> clauses;
  for (const Proviso& proviso : claim.provisos) clauses.push_back(text_of(proviso));
  return clauses;
}

std::string guarantee_text(const Exploration& result) {
  const std::vector<std::string> clauses = provisos_text(result.claim);
  return known_text(result) + (clauses.empty() ? "" : fmt::format("; not covered: {}", fmt::join(clauses, "; ")));
}

std::string not_covered_text(const Exploration& result) {
  std::vector<std::string> clauses;
  const Claim& claim = result.claim;
  if (claim.bounds.preemptions) clauses.emplace_back("more preemptions");
  if (claim.bounds.delays) clauses.emplace_back("more delays");
  if (claim.bounds.operations) clauses.emplace_back("later preemptions");
  if (claim.bounds.depth) clauses.emplace_back("later deviations");
  if (claim.bounds.variables) clauses.emplace_back("more variables");
  if (claim.bounds.threads) clauses.emplace_back("orders of more threads");
  if (claim.bounds.max_delay_ms) clauses.emplace_back("longer delays (--max-delay)");
  if (claim.scope == Scope::None || claim.scope == Scope::Sample) clauses.emplace_back("executions that were not run");
  for (std::string& clause : provisos_text(claim)) clauses.push_back(std::move(clause));
  return clauses.empty() ? "" : fmt::format("Not covered: {}.", fmt::join(clauses, "; "));
}

const char* ending_text(Ending ending) {
  switch (ending) {
    case Ending::Finished: return "search ended";
    case Ending::FirstBug: return "stopped at the first bug";
    case Ending::Interrupted: return "interrupted";
    case Ending::TimeBudget: return "time budget used up";
    case Ending::ExecutionBudget: return "execution budget used up";
    case Ending::MemoryBudget: return "memory budget used up";
    case Ending::DefaultBudget: return "default budget used up";
    case Ending::Uncontrolled: return "the program could not be controlled";
    case Ending::NewPoints: return "new scheduling points found";
    case Ending::Distrusted: return "executions did not repeat";
  }
  return "";
}

}  // namespace lockstep
