#include "crew/joint_crew.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "crew/crew_messages.hpp"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
constexpr unsigned kUnitsEach = 2;     // of a worker elsewhere: one that it explores, one that waits for it
constexpr uint64_t kCheckEvery = 128;  // units of another machine, the first included: explored here as well

std::string machine_of(const std::string& worker) { return worker.substr(0, worker.find('/')); }

// What does not depend on where it was explored.
bool is_same(const UnitResult& a, const UnitResult& b) {
  return a.totals == b.totals && a.rest == b.rest &&
         ExecutionReader(a.executions).executions() == ExecutionReader(b.executions).executions();
}

// Of these only the machine that saw them can say whether they are the program's doing.
bool is_doubtful(const UnitResult& result) {
  const ExecutionReader reader(result.executions);
  for (const ExecutionSummary& execution : reader.executions())
    if (execution.outcome == Outcome::Diverged || execution.outcome == Outcome::Uncontrolled ||
        execution.outcome == Outcome::WorkerDied)
      return true;
  return false;
}

bool is_sound(const UnitResult& result) {
  const ExecutionReader reader(result.executions);
  if (!reader.good() || !unpack_news(result.target)) return false;
  for (const ExecutionSummary& execution : reader.executions())
    if (execution.outcome >= Outcome::kCount) return false;
  return true;
}

class JointCrew final : public Crew {
 public:
  JointCrew(JointCrewOptions options, RemoteOrders& remote, Target& target, std::unique_ptr<Crew> local)
      : options_(std::move(options)), remote_(remote), target_(target), local_(std::move(local)) {
    remote_.describe(options_.search);
  }
  ~JointCrew() override {
    for (const auto& [number, unit] : elsewhere_) remote_.take_back(number);
  }

  bool has_room() const override { return waiting_.empty() && (local_has_room() || remote_has_room()); }
  size_t under_way() const override {
    return local_->under_way() + elsewhere_.size() + waiting_.size() + to_check_.size();
  }
  bool failed() const override { return local_->failed(); }
  void hurry() override {
    hurried_ = true;
    local_->hurry();
    take_back_all();
    waiting_.clear();
    to_check_.clear();
  }
  void submit(const Unit& unit) override {
    waiting_.push_back(unit);
    hand_out();
  }

  std::optional<UnitResult> next(const std::function<bool()>& interrupted) override {
    while (!failed() && under_way() > 0) {
      hand_out();
      if (std::optional<UnitResult> result = local_->next([] { return true; }))
        if ((result = checked(std::move(*result)))) return result;
      const milliseconds patience(local_->under_way() > 0 ? 1 : 20);
      if (const std::optional<RemoteOrders::Answer> answer = remote_.next(patience))
        if (std::optional<UnitResult> result = take(*answer)) return result;
      if (interrupted && interrupted()) return std::nullopt;
    }
    return std::nullopt;
  }

  bool accept(const UnitResult& result, bool is_first) override {
    if (!is_remote_) return local_->accept(result, is_first);
    const std::optional<ProgramNews> news = unpack_news(result.target);
    return news && take_over(*news, is_first, target_);  // who met threads of its own starts the program anew
  }

 private:
  struct Check {
    UnitResult theirs;
    std::string worker;
    std::optional<UnitResult> ours;  // once it was another one
    Unit unit;
  };

  bool works_here() const { return options_.works_here || !remote_.can_reach(); }
  bool local_has_room() const { return works_here() && to_check_.empty() && local_->has_room(); }
  bool remote_has_room() const {
    return remote_.can_reach() && elsewhere_.size() < size_t{kUnitsEach} * remote_.workers();
  }

  void hand_out() {
    // Nobody is there to answer.
    if (!elsewhere_.empty() && works_here() && (remote_.workers() == 0 || !remote_.can_reach())) take_back_all();
    for (; !to_check_.empty() && local_->has_room(); to_check_.pop_front()) local_->submit(to_check_.front());
    while (!waiting_.empty() && (local_has_room() || remote_has_room())) {
      const Unit unit = std::move(waiting_.front());
      waiting_.pop_front();
      if (local_has_room()) {
        local_->submit(unit);
      } else {
        remote_.submit(unit.number, pack(CrewOrder{target_.threads(), unit}));
        elsewhere_.emplace(unit.number, unit);
      }
    }
  }
  void take_back_all() {
    for (auto& [number, unit] : std::exchange(elsewhere_, {})) {
      remote_.take_back(number);
      waiting_.push_back(std::move(unit));
    }
  }

  std::optional<UnitResult> take(const RemoteOrders::Answer& answer) {
    const auto found = elsewhere_.find(answer.number);
    if (found == elsewhere_.end()) return std::nullopt;  // it comes too late
    const Unit unit = std::move(found->second);
    elsewhere_.erase(found);
    is_remote_ = true;
    if (answer.kind == RemoteOrders::Answer::Deadly) return UnitResult{.number = unit.number, .given_up = true};
    StateReader in(answer.bytes);
    UnitResult result = get_result(in);
    if (answer.kind == RemoteOrders::Answer::Lost || !in.good() || !in.at_end() || result.number != unit.number ||
        !is_sound(result)) {
      waiting_.push_front(unit);
      return std::nullopt;
    }
    if (units_of_[machine_of(answer.worker)]++ % kCheckEvery != 0 && !is_doubtful(result)) {
      trusted_.insert(machine_of(answer.worker));
      return result;
    }
    checks_.emplace(unit.number, Check{std::move(result), answer.worker, std::nullopt, unit});
    to_check_.push_back(unit);
    return std::nullopt;
  }

  // Of a unit that was explored elsewhere as well, what was found out here counts. If it was another one, it is
  // explored once more: a program that does not repeat itself makes its worker no liar.
  std::optional<UnitResult> checked(UnitResult ours) {
    is_remote_ = false;
    const auto found = checks_.find(ours.number);
    if (found == checks_.end() || hurried_) return ours;  // cut short, it can be compared with nothing
    Check& check = found->second;
    if (!ours.given_up && !is_same(ours, check.theirs)) {
      if (!check.ours) {
        (void)local_->accept(ours, false);  // so that nobody counts on what it showed
        check.ours = std::move(ours);
        to_check_.push_back(check.unit);
        return std::nullopt;
      }
      if (is_same(ours, *check.ours)) refuse(check.worker);
    }
    checks_.erase(found);
    return ours;
  }

  // Its neighbours are looked at, too.
  void refuse(const std::string& worker) {
    remote_.refuse(worker, trusted_.contains(machine_of(worker)));
    units_of_.erase(machine_of(worker));
  }

  const JointCrewOptions options_;
  RemoteOrders& remote_;
  Target& target_;
  const std::unique_ptr<Crew> local_;
  std::deque<Unit> waiting_;  // for somebody who has time
  std::map<uint64_t, Unit> elsewhere_;
  std::deque<Unit> to_check_;                 // here, before anything else
  std::map<uint64_t, Check> checks_;          // of those and of those that are being checked
  std::map<std::string, uint64_t> units_of_;  // by machine
  std::set<std::string> trusted_;             // machines of which something counts that was not checked
  bool hurried_ = false;
  bool is_remote_ = false;  // what next() returned last
};

}  // namespace

std::unique_ptr<Crew> make_joint_crew(std::unique_ptr<Crew> local, JointCrewOptions options, RemoteOrders& remote,
                                      Target& target) {
  return std::make_unique<JointCrew>(std::move(options), remote, target, std::move(local));
}

}  // namespace lockstep
