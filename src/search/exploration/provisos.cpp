// Derives the provisos of a claim from the evidence.
#include "search/exploration/provisos.hpp"

#include <algorithm>
#include <utility>

#include "model/text_lines.hpp"

namespace lockstep {
namespace {

class Provisos {
 public:
  Provisos(Claim& claim, const Evidence& evidence) : claim_(claim), e_(evidence) {}

  void add_all() {
    // An unfinished search has explored a smaller bound than the given one.
    std::optional<uint32_t>& preemptions = claim_.bounds.preemptions;
    if (claim_.scope == Scope::Executions && e_.preemption_bound)
      preemptions = std::min(preemptions.value_or(*e_.preemption_bound), *e_.preemption_bound);
    claim_.trusts_code = e_.trusts_code;
    claim_.preempts_in = e_.preempts_in;
    if (claim_.scope != Scope::None) claim_.bounds.max_delay_ms = e_.max_delay_ms;
    add_losses();
    add_nondeterminism();
    add_unseen_code();
    add_scheduling_points();
    add_if(ProvisoKind::SpinRounds, !e_.spin_rounds_given, e_.spin_rounds, e_.spin_loops);
    add_if(ProvisoKind::LockMisuse, true, e_.lock_misuses.size(), e_.lock_misuses);
    if (!e_.weak_orders.empty())
      add(ProvisoKind::MemoryOrder, false, e_.weak_order_operations, e_.weak_orders, e_.weak_order_headers);
    add_if(ProvisoKind::Spurious, false, e_.condition_waits.size(), e_.condition_waits);
    claim_.memory = only_sequentially_consistent() ? MemoryModel::Any : MemoryModel::Sc;
  }

 private:
  void add(ProvisoKind kind, bool hides, uint64_t count, std::vector<std::string> where, std::string why = {}) {
    claim_.provisos.push_back({kind, hides, count, std::move(where), std::move(why)});
  }
  void add_if(ProvisoKind kind, bool hides, uint64_t count, const std::vector<std::string>& where) {
    if (!where.empty()) add(kind, hides, count, where);
  }

  void add_losses() {
    const std::string why = e_.cut_for_memory > 0 ? "after " + count_of(e_.cut_for_memory, "step") +
                                                        ": more cannot be recorded (--memory-budget)"
                                                  : "at the step limit (--steps)";
    if (e_.cut > 0) add(ProvisoKind::Cut, true, e_.cut, {}, why);
    if (e_.lost > 0) add(ProvisoKind::Lost, true, e_.lost, {}, "worker process died");
    if (e_.diverged > 0) add(ProvisoKind::Lost, true, e_.diverged, {}, "the program did not follow its schedule");
  }

  // In a deterministic program no execution shows a behaviour that a finished reduction did not count.
  void add_nondeterminism() {
    std::string why;
    const uint64_t unrepeated = claim_.unrepeated - std::min(claim_.unrepeated, e_.diverged);
    if (unrepeated > 0)
      why = count_of(unrepeated, "execution") + " did not repeat an earlier one";
    else if (e_.failure_not_repeated)
      why = "a failure did not repeat when its schedule was run again";
    else if (claim_.finished && claim_.traces && e_.distinct && *e_.distinct > *claim_.traces)
      why = count_of(*e_.distinct, "behaviour") + " seen where the schedules allow " + std::to_string(*claim_.traces);
    if (!why.empty() && !e_.varies_with.empty()) why += "; the program may depend on " + e_.varies_with;
    if (!why.empty() || !e_.depends_on.empty())
      add(ProvisoKind::Nondeterministic, true, unrepeated, e_.depends_on, why);
  }

  void add_unseen_code() {
    add_if(ProvisoKind::Uninstrumented, true, e_.uninstrumented.size(), e_.uninstrumented);
    add_if(ProvisoKind::UncontrolledLoop, true, e_.native_loops.size(), e_.native_loops);
  }

  // If there are no races, or the racing accesses are scheduling points, no order was missed. Variable bounds name the
  // accesses at which they preempt, but the race check must have covered all executions.
  void add_scheduling_points() {
    const bool hides = !e_.points_given;
    if (!e_.instrumented || e_.points == Points::Sync)
      return add(ProvisoKind::SyncOnly, hides, 0, {}, e_.instrumented ? "" : "the program is not instrumented");
    if (!e_.detects_races)
      add(ProvisoKind::NoSchedulingPoint, hides, 0, {}, "plain accesses (no race detection)");
    else if (e_.raced && !e_.promotes_races)
      add(ProvisoKind::NoSchedulingPoint, hides, 0, {}, "racy accesses");
    else if (e_.too_many_racy_accesses)
      add(ProvisoKind::NoSchedulingPoint, true, 0, {}, "some racy accesses (too many)");
    for (const std::string& where : e_.unexplored_points) add(ProvisoKind::NoSchedulingPoint, true, 0, {}, where);
    if (e_.without_race_detection > 0)
      add(ProvisoKind::NoSchedulingPoint, true, e_.without_race_detection, {},
          "variables first shared after the " + count_of(e_.executions - e_.without_race_detection, "execution") +
              " of the survey");
  }

  // True if the program is race-free and all its atomics are seq_cst.
  bool only_sequentially_consistent() const {
    return claim_.complete() && claim_.unbounded() && !e_.raced && e_.detects_races && e_.instrumented &&
           e_.weak_orders.empty() && e_.uninstrumented.empty() && !e_.trusts_code && e_.preempts_in.empty();
  }

  Claim& claim_;
  const Evidence& e_;
};

}  // namespace

void add_provisos(Claim& claim, const Evidence& evidence) { Provisos(claim, evidence).add_all(); }

}  // namespace lockstep
