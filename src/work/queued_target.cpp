#include "work/queued_target.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "work/control_executions.hpp"
#include "work/coordinator_pulse.hpp"
#include "work/dealt_plans.hpp"
#include "work/job_description.hpp"
#include "work/queue_link.hpp"
#include "work/queued_orders.hpp"
#include "work/unit_board.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kQueueWindow = 4096;
constexpr uint64_t kCheckEvery = 509;        // plans of which one is run here as well
constexpr unsigned kChooseEvery = 16;        // plans that go the same way
constexpr auto kGrace = milliseconds(2000);  // for Redis to come back before everything is done here
constexpr int kMostAttempts = 3;             // to hand out a unit that Redis loses
constexpr auto kLonely = milliseconds(3000);
constexpr auto kUntaken = milliseconds(100), kRescueEvery = milliseconds(200), kReadEvery = milliseconds(200);

class QueuedTarget final : public Target {
 public:
  QueuedTarget(TargetOptions options, unsigned workers_here, std::unique_ptr<Target> here)
      : options_(std::move(options)), workers_here_(workers_here), here_(std::move(here)) {}

  std::optional<Error> join() {
    if (options_.must_stop()) return std::nullopt;
    const bool writes_files = here_->facts().contains({0, FactKind::WritesFiles});
    if (writes_files || !options_.before_each.empty() || !options_.after_each.empty()) {
      warn("executions of this program share files or commands, so all run on this machine; the queue is not used");
      return std::nullopt;
    }
    const Result<QueueAddress> address = parse_queue_address(options_.queue);
    if (!address) return address.error();
    server_ = address->server();
    (void)run_controls(*here_);  // loads what the program loads
    const Result<Job> job = describe_job(options_, *here_);
    if (!job) return job.error();
    const std::string id = random_id();
    Result<std::unique_ptr<QueueLink>> link = QueueLink::open(*address, id, *job);
    if (!link) return link.error();
    link_ = std::move(*link);
    board_ = std::make_unique<UnitBoard>(*link_, kQueueWindow);
    orders_ = std::make_unique<QueuedOrders>(*link_, *board_, services());
    pulse_ = std::make_unique<CoordinatorPulse>(*address, id, *job);
    settings_.promoted = options_.promoted;
    settings_.spurious = options_.spurious;
    settings_.checkpoints = options_.checkpoints;
    change_settings();
    return std::nullopt;
  }

  size_t window() const override { return here_->window() + (link_ ? kQueueWindow : 0); }
  const TargetInfo& info() const override { return here_->info(); }
  std::vector<Module> modules() override { return here_->modules(); }
  std::vector<ThreadTable::Entry> threads() override { return here_->threads(); }
  std::string given_name(uint64_t address) override { return here_->given_name(address); }
  std::set<Fact> facts() override { return here_->facts(); }
  std::vector<PlainCode> plain_code() override { return here_->plain_code(); }
  std::string dependence() override { return here_->dependence(); }
  std::vector<uint64_t> native_loops() override { return here_->native_loops(); }
  std::set<std::string> libraries() override { return here_->libraries(); }
  uint64_t resumed() override { return here_->resumed(); }
  std::vector<std::string> warnings() override { return here_->warnings(); }
  std::vector<MachineStatus> machines() override { return link_ ? link_->machines() : std::vector<MachineStatus>{}; }
  uint64_t units_waiting() override { return board_ ? board_->size() + orders_->size() : 0; }
  RemoteOrders* remote_orders() override { return orders_.get(); }

  std::set<Fact> noticed() override { return here_->noticed(); }
  void adopt(const std::set<Fact>& facts, const std::set<std::string>& libraries, uint64_t resumed) override {
    here_->adopt(facts, libraries, resumed);
  }
  void adopt_loops(const std::vector<uint64_t>& loops) override { here_->adopt_loops(loops); }
  bool adopt_threads(const std::vector<ThreadTable::Entry>& threads) override { return here_->adopt_threads(threads); }

  void promote(const PromotedPoints& points) override {
    change([&] { here_->promote(settings_.promoted = points); });
  }
  void allow_spurious(uint32_t wakeups) override {
    change([&] { here_->allow_spurious(settings_.spurious = wakeups); });
  }
  void trust(const std::vector<CodeRange>& code) override {
    change([&] { here_->trust(settings_.trusted = code); });
  }
  void preempt_in(const std::vector<CodeRange>& code) override {
    change([&] { here_->preempt_in(settings_.preemptible = code); });
  }
  bool checkpoints_failed() override {
    const bool failed = here_->checkpoints_failed();
    if (failed) change([&] { settings_.checkpoints = CheckpointUse::Off; });
    return std::exchange(is_distrusted_, false) || failed;
  }

  Detailed run_detailed(Plan plan, Inspector* inspector) override {
    cancel();
    return here_->run_detailed(std::move(plan), inspector);
  }

  void submit(const Plan& plan) override {
    if (!(board_ && board_->is_open()) && goes_here()) return dealt_.add_here(plan);
    dealt_.add_to(board_->open(), plan, ++sent_ % kCheckEvery == 1);
    board_->close_if_full();
  }

  std::optional<TraceView> next(const std::function<bool()>& interrupted) override {
    if (dealt_.empty()) return std::nullopt;
    look_around();
    Dealt& dealt = dealt_.front();
    if (dealt.unit && !wait_for(dealt, interrupted)) return std::nullopt;
    if (!dealt.unit && !dealt.here) return dealt_.next_here(interrupted);
    if (dealt.unit && dealt.is_checked && !dealt_.read_here(dealt, interrupted)) return std::nullopt;
    if (dealt.unit) {
      compare(dealt);
      board_->is_read(dealt.unit->traces[dealt.index]);
    }
    current_ = dealt.here ? std::move(*dealt.here) : std::move(dealt.unit->traces[dealt.index]);
    dealt_.pop_front();
    return current_;
  }

  void cancel() override {
    here_->cancel();
    if (board_) board_->take_all_back();
    dealt_.clear();
  }

 private:
  void warn(const std::string& text) {
    if (options_.notify) options_.notify(text);
  }
  bool is_connected() const { return link_ && link_->is_up() && !is_alone_; }
  QueuedOrders::Services services() {
    return {.is_connected = [this] { return is_connected(); },
            .look_around =
                [this](milliseconds patience) {
                  look_around();
                  if (is_connected()) take_answers(patience);
                },
            .describe =
                [this](std::string search) {
                  settings_.search = std::move(search);
                  publish_settings();
                },
            .refuse =
                [this](const std::string& worker, bool used) {
                  refuse_here(worker);
                  is_distrusted_ |= used;
                },
            .warn = [this](const std::string& text) { warn(text); }};
  }

  template <class F>
  void change(F&& settings) {
    cancel();
    settings();
    change_settings();
  }
  // Only while nothing is in flight.
  void change_settings() {
    if (!link_) return;
    settings_.controls.clear();
    const std::vector<Plan> plans = control_plans();
    const std::vector<TraceHash> hashes = run_controls(*here_);
    for (size_t i = 0; i < hashes.size(); ++i) settings_.controls.push_back({plans[i], {hashes[i][0], hashes[i][1]}});
    publish_settings();
  }
  void publish_settings() {
    settings_.threads = here_->threads();
    settings_.native_loops = here_->native_loops();
    link_->publish(++board_->settings, settings_);
  }

  // --- who runs what ---

  bool goes_here() {
    if (!is_connected()) return true;
    if (++since_choice_ < kChooseEvery) return chose_here_;
    since_choice_ = 0;
    if (workers_here_ == 0) return chose_here_ = false;
    if (link_->workers() == 0) return chose_here_ = true;
    const size_t elsewhere = board_->plans_out() / link_->workers();
    return chose_here_ = here_->not_run() / workers_here_ <= elsewhere;
  }
  // Now and then: who is there, what is answered; and whoever has nothing to do gets what there is.
  void look_around() {
    if (!link_) return;
    const Clock::time_point now = Clock::now();
    if (now - looked_ < milliseconds(5)) return;
    looked_ = now;
    if (is_alone_) return come_back();
    if (!link_->is_up()) {
      if (!lost_) lost_ = now;
      if (pulse_->can_reach() && link_->restore())
        restored();
      else if (now - *lost_ > kGrace)
        go_on_alone(nullptr);
      return;
    }
    link_->machines();
    if (board_->size() > 0 || now - read_ > kReadEvery) take_answers(milliseconds(0));
    board_->serve_the_idle();
  }

  // --- answers ---

  void take_answers(milliseconds patience) {
    read_ = Clock::now();
    for (AnswerMessage& answer : link_->read_answers(patience)) {
      if (answer.kind == AnswerMessage::Refused) {
        refuse(answer.worker, answer.machine, answer.text);
        continue;
      }
      if (refused_.contains(answer.worker)) continue;
      if (orders_->accept(answer)) continue;
      board_->accept(answer);
      here_->adopt(answer.facts, answer.libraries, answer.resumed);
      here_->adopt_loops(answer.native_loops);
    }
  }

  // Threads get their ids in the order of the plans, as with one worker: not before it is this unit's turn.
  void run_again(const Batch& unit) {
    here_->adopt_threads(board_->threads_of(unit));
    if (here_->threads().size() > settings_.threads.size()) publish_settings();
    board_->run_again();
  }

  void refuse(const std::string& worker, const std::string& machine, const std::string& why) {
    if (refused_.insert(worker).second) warn("worker " + worker + " on " + machine + " is not used: " + why);
  }

  // --- waiting for a unit ---

  // True: it is answered, or its plans run here now.
  bool wait_for(Dealt& dealt, const std::function<bool()>& interrupted) {
    Clock::time_point rescued = Clock::now();
    while (dealt.unit && !dealt.unit->is_answered()) {
      if ((interrupted && interrupted()) || options_.must_stop()) return false;
      const std::shared_ptr<Batch> unit = dealt.unit;
      if (!link_->is_up()) {
        if (!reconnect(interrupted)) return false;
        continue;
      }
      board_->need(unit);
      if (unit->has_new_threads) run_again(*unit);
      take_answers(milliseconds(20));
      link_->machines();
      if (Clock::now() - rescued < kRescueEvery || unit->is_answered() || unit->has_new_threads) continue;
      rescued = Clock::now();
      rescue(*unit);
    }
    return true;
  }

  // A unit that is waited for. Nobody took it: it is run here. Whoever took it is gone: others claim it by themselves;
  // if it has been so again and again, the one execution is looked for that does it.
  void rescue(Batch& unit) {
    const QueueLink::UnitState state = link_->look_at(unit.number);
    if (!link_->is_up()) return;
    const bool is_silent = state.silence > milliseconds(kSilenceMilliseconds);
    if (state.where == QueueLink::UnitState::Waiting) {
      if (link_->workers() == 0 && workers_here_ == 0 && Clock::now() - unit.sent > kLonely &&
          !std::exchange(is_lonely_, true))
        warn("no worker serves the queue; start some with 'lockstep work --queue ...'");
      if (workers_here_ > 0 && Clock::now() - unit.sent > kUntaken && here_->not_run() == 0) run_here(unit);
    } else if (state.where == QueueLink::UnitState::Gone) {
      take_answers(milliseconds(0));
      if (!board_->is_out(unit)) return;
      if (unit.attempts <= kMostAttempts) return board_->hand_out_again(unit);
      warn("Redis at " + server_ + " lost data (maxmemory?); a unit is run here");
      run_here(unit);
    } else if (is_silent && state.deliveries >= kMostDeliveries && unit.plans.size() > 1) {
      board_->withdraw(unit);
      for (std::shared_ptr<Batch>& part : dealt_.split(unit)) board_->hand_out(std::move(part));
    } else if (is_silent && state.deliveries >= kMostDeliveries) {
      warn("execution " + std::to_string(unit.plans[0].id) + " lost its worker " + std::to_string(state.deliveries) +
           " times, running alone; it is run here");
      run_here(unit);
    } else if (is_silent && workers_here_ > 0 && link_->workers() == 0) {
      run_here(unit);
    }
  }
  void run_here(const Batch& unit) {
    board_->withdraw(unit);
    dealt_.run_here(&unit, nullptr);
  }

  // --- trust ---

  // What a worker elsewhere says is not taken on trust: an execution that lost its plan or its process is repeated
  // here.
  void compare(Dealt& dealt) {
    const Trace& theirs = dealt.unit->traces[dealt.index];
    const std::string& worker = dealt.unit->worker;
    const Outcome outcome = theirs.view().outcome();
    const bool failed =
        outcome == Outcome::Diverged || outcome == Outcome::Uncontrolled || outcome == Outcome::WorkerDied;
    if (failed && !dealt.here && !dealt_.repeat(dealt)) return;
    if (!dealt.here || hash_of(*dealt.here) == hash_of(theirs)) return;
    const Trace first = *std::exchange(dealt.here, std::nullopt);
    if (!dealt_.repeat(dealt)) return;
    if (hash_of(*dealt.here) != hash_of(first)) return;  // it is no other machine that makes the difference
    refuse_here(worker);
    is_distrusted_ = true;
  }
  void refuse_here(const std::string& worker) {
    refuse(worker, worker.substr(0, worker.find('/')), "an execution differed from the same one here");
    link_->refuse(worker);
  }

  // --- Redis is gone ---

  // Waits a little for it; then everything runs here. False: interrupted.
  bool reconnect(const std::function<bool()>& interrupted) {
    if (!lost_) lost_ = Clock::now();
    while (Clock::now() - *lost_ < kGrace) {
      if ((interrupted && interrupted()) || options_.must_stop()) return false;
      if (pulse_->can_reach() && link_->restore()) return restored();
      std::this_thread::sleep_for(milliseconds(20));
    }
    return go_on_alone(interrupted);
  }
  bool go_on_alone(const std::function<bool()>& interrupted) {
    is_alone_ = true;
    warn("Redis at " + server_ + " cannot be reached (" + link_->problem() + "): goes on with the workers here");
    board_->forget();
    orders_->forget();
    return dealt_.run_here(nullptr, interrupted);
  }
  // What was written last may be lost with a server that fell.
  bool restored() {
    lost_.reset();
    take_answers(milliseconds(0));
    board_->hand_out_lost();
    orders_->hand_out_lost();
    return true;
  }
  void come_back() {
    if (!pulse_->can_reach() || !link_->restore()) return;
    link_->forget_units();
    is_alone_ = false;
    lost_.reset();
    warn("Redis at " + server_ + " can be reached again");
  }

  const TargetOptions options_;
  const unsigned workers_here_;
  const std::unique_ptr<Target> here_;
  std::string server_;
  std::unique_ptr<QueueLink> link_;  // null: the queue is not used
  std::unique_ptr<CoordinatorPulse> pulse_;
  std::unique_ptr<UnitBoard> board_;
  std::unique_ptr<QueuedOrders> orders_;
  JobSettings settings_;
  uint64_t sent_ = 0;  // plans to others
  DealtPlans dealt_{*here_};
  std::set<std::string> refused_;
  std::optional<Clock::time_point> lost_;  // since then Redis is gone
  bool is_alone_ = false;                  // and nobody waits for it
  bool is_distrusted_ = false;             // what was learned came from a worker that is refused by now
  bool is_lonely_ = false;                 // nobody was there to take a unit, and the user knows
  bool chose_here_ = true;
  unsigned since_choice_ = kChooseEvery;
  Clock::time_point looked_{}, read_{};
  Trace current_;
};

}  // namespace

Result<std::unique_ptr<Target>> start_queued_target(TargetOptions options, const StartTarget& start) {
  const unsigned workers_here = options.workers;
  options.workers = std::max(1u, workers_here);
  prepare_for_other_machines(options);
  Result<std::unique_ptr<Target>> here = start(options);
  if (!here) return here.error();
  auto target = std::make_unique<QueuedTarget>(std::move(options), workers_here, std::move(*here));
  if (auto error = target->join()) return *error;
  return std::unique_ptr<Target>(std::move(target));
}

}  // namespace lockstep
