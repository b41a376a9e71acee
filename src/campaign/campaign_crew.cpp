// Starts the workers that explore units of a campaign's search side by side.
#include "campaign/campaign.hpp"
#include "campaign/saved_exploration.hpp"
#include "campaign/target_setup.hpp"
#include "crew/joint_crew.hpp"
#include "crew/local_crew.hpp"
#include "crew/unit_service.hpp"

namespace lockstep {

// Passes on what is known of the program so far. Executions that leave files must not run side by side: then there is
// no crew.
std::unique_ptr<Crew> Campaign::start_crew() {
  const std::set<Fact> noticed = target_->noticed();
  const auto is_noticed = [&noticed](FactKind kind) {
    return std::any_of(noticed.begin(), noticed.end(), [kind](const Fact& fact) { return fact.kind == kind; });
  };
  if (is_noticed(FactKind::WritesFiles)) return nullptr;
  TargetOptions how = target_options(options_, subject_, strategy_options_, *search_, deadline_, nullptr);
  how.workers = 1;
  how.stop = nullptr;
  how.beside_queue = !how.queue.empty();
  how.queue.clear();
  how.isolation = target_->info().isolation;
  how.promoted = promotion_.in_use();
  how.spurious = spurious_;
  how.max_delay_ms = max_delay_ms_;
  how.native_loops = target_->native_loops();
  if (is_noticed(FactKind::CheckpointsDiffer)) how.checkpoints = CheckpointUse::Off;
  crew_analyses_ = replayer_.analyses();
  // Until now the search may have shared one core with its own worker process.
  (void)sched_setaffinity(0, sizeof(cpu_set_t), &cpus_at_start());
  CrewOptions crew;
  crew.workers = std::max(1u, options_.workers.value_or(strategy_options_.workers));
  crew.begin = leave_saved_exploration;
  crew.start_target = [this, how](std::vector<ThreadTable::Entry> threads) -> std::unique_ptr<Target> {
    TargetOptions own = how;
    own.threads = std::move(threads);
    Result<std::unique_ptr<Target>> target = start_target_(std::move(own));
    if (!target || choose_code(**target, options_)) return nullptr;
    return std::move(*target);
  };
  crew.make_search = [this] { return std::move(*make_strategy(strategy_options_)); };
  crew.settings = {.analyses = crew_analyses_,
                   .points = promotion_.in_use(),
                   .looks_for_points = promotion_.wanted(),
                   .count_traces = budget_of(options_, *search_).count_traces};
  RemoteOrders* remote = target_->remote_orders();
  std::unique_ptr<Crew> local = start_local_crew(crew, *target_);
  if (!remote || !local) return local;
  const SearchDescription search{.strategy = strategy_options_,
                                 .points = crew.settings.points,
                                 .looks_for_points = crew.settings.looks_for_points,
                                 .count_traces = crew.settings.count_traces,
                                 .races_are_bugs = options_.races,
                                 .expected_output = options_.expected_output};
  return make_joint_crew(std::move(local), {.works_here = options_.workers != 0u, .search = pack(search)}, *remote,
                         *target_);
}

}  // namespace lockstep
