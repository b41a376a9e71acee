// A campaign: one exploration from options to result. It handles budgets, stored schedules, confirming and shrinking of
// bugs, new scheduling points, saving and resuming, and the claim. `lockstep run`, each test case, `resume` and
// lockstep::explore() use it.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "campaign/cause_search.hpp"
#include "campaign/deadline.hpp"
#include "campaign/focus.hpp"
#include "campaign/options.hpp"
#include "campaign/outputs.hpp"
#include "campaign/replayer.hpp"
#include "campaign/saved_exploration.hpp"
#include "report/program_identity.hpp"
#include "search/exploration/coverage.hpp"
#include "search/exploration/explorer.hpp"
#include "search/exploration/promotion.hpp"
#include "search/exploration/unit_result.hpp"
#include "target/target.hpp"

namespace lockstep {

// Receives what a campaign reports while it runs.
class CampaignListener {
 public:
  virtual ~CampaignListener() = default;
  virtual void warn(const std::string& text) = 0;
  virtual void found(const Finding& bug) = 0;  // confirmed and saved; Finding::stored: by a schedule of an earlier run
  virtual void progress(const Progress&) {}
  virtual void bound_finished(uint32_t /*bound*/, uint64_t /*executions*/) {}
  virtual void starts_over(size_t /*new_points*/) {}  // 0: now without checkpoints
  virtual bool interrupted() const { return false; }
};

// What is explored: a program that is started, or a function of this process that is forked.
struct Subject {
  std::string program;  // path of the executable
  std::string runtime_library;
  std::function<void(int channel_fd, int table_fd)> body{};  // see TargetOptions::body
};

class Campaign {
 public:
  // Starts the program. `saved`: the exploration to resume; must outlive run().
  static Result<std::unique_ptr<Campaign>> start(const CampaignOptions& options, const Subject& subject,
                                                 const StartTarget& start, CampaignListener& listener,
                                                 const SavedExploration* saved = nullptr);

  Result<Exploration> run();

  // Called once the result is written. Removes the saved exploration, unless it can be resumed. Returns whether it can.
  bool keep_saved_state(const Exploration& result);

  Replayer& replayer() { return replayer_; }
  Target& target() { return *target_; }
  Points points() const { return points_; }

  // Writes a schedule for each distinct output and returns the outputs as JSON.
  std::string write_outputs();

  const Coverage& coverage() const { return coverage_; }  // empty unless requested

 private:
  Campaign(const CampaignOptions& options, const Subject& subject, StartTarget start_target,
           StrategyOptions strategy_options, Focus focus, std::unique_ptr<Search> search,
           std::unique_ptr<Target> target, std::shared_ptr<const Deadline> deadline, Suppressions suppressions,
           CampaignListener& listener, const SavedExploration* saved);

  ExplorerHooks hooks();
  std::unique_ptr<Crew> start_crew();
  void replay_stored_schedules(Exploration& result);
  void resume_from_saved();
  Result<Exploration> explore_all(ExplorerHooks hooks);
  Result<Exploration> explore_until_settled(ExplorerHooks& hooks, Exploration so_far, bool resume);
  void start_over(ExplorerHooks& hooks, const Exploration& so_far);
  void allow_spurious(uint32_t wakeups) { target_->allow_spurious(spurious_ = wakeups); }
  bool wants_spurious_wakeups(const Exploration& result);
  Exploration explore_spurious_wakeups(ExplorerHooks hooks, Exploration result);
  bool wants_longer_delays(const Exploration& result);
  void explore_longer_delays(ExplorerHooks hooks, Exploration& result);
  std::optional<Finding> failure_with_shortest_delay(const ExplorerHooks& hooks, const bool& held_back,
                                                     Exploration& result);
  std::optional<Finding> failure_within(uint32_t max_delay_ms, const ExplorerHooks& hooks, double until,
                                        Exploration& result);
  void report_timing(Finding found, Exploration& result);
  Budget budget_left(const Exploration& so_far) const;
  bool must_stop();  // interrupted, or the program was replaced
  double seconds_so_far() const { return deadline_->seconds() + (saved_ ? saved_->seconds : 0); }
  std::optional<Finding> confirm(Finding finding);
  std::optional<Finding> with_all_points(const Finding& finding);
  ShrinkBudget shrink_budget() const;
  void report(const Finding& finding);
  void use_new_points();
  bool goes_on_after(const Finding& bug);
  void tell_causes(Exploration& result);
  std::optional<Error> save_schedule_of(const Finding& finding);
  void save_exploration(const std::function<void(StateWriter&)>& state);
  void complete_evidence(Evidence& evidence);
  void conclude(Exploration& result);
  void complete_warning(Finding& warning);
  std::string text_of_warning(const Finding& warning) const;
  void conclude_warnings(std::vector<Finding>& warnings);
  void warn_of_unyielding_loops();
  void turn_warnings_into_bugs(Exploration& result);

  const CampaignOptions options_;
  const Subject subject_;
  const StartTarget start_target_;
  const StrategyOptions strategy_options_;  // including the focus
  Focus focus_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<Target> target_;
  const std::shared_ptr<const Deadline> deadline_;
  CampaignListener& listener_;
  const SavedExploration* const saved_;
  ProgramWatch program_watch_;
  Coverage coverage_;
  Outputs outputs_;
  Replayer replayer_;
  const Points points_;
  Promotion promotion_;
  std::vector<Analysis*> crew_analyses_;
  uint32_t spurious_;               // limit of the current executions
  uint32_t max_delay_ms_;           // limit of the current executions
  uint64_t executions_before_ = 0;  // of searches abandoned because of new scheduling points
  std::vector<Finding> warnings_before_;
  bool raced_before_ = false;
  std::vector<Finding> reported_;  // bugs so far, for a resumed run
  unsigned bug_number_ = 0;        // of the last bug
  CauseSearch causes_;
  std::vector<Finding> untold_;  // bugs held back: bugs that they may cause are reported first
  unsigned starts_ = 0;          // number of times that the search has started over
  double replay_seconds_ = 0;    // of the last finding's replay with stacks
  bool has_saved_state_ = false;
  std::set<std::string> unsaved_;            // schedules that could not be written
  std::vector<std::filesystem::path> made_;  // folders created for saved files, innermost first
};

}  // namespace lockstep
