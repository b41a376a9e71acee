#include "work/worker_session.hpp"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "crew/unit_service.hpp"
#include "work/control_executions.hpp"
#include "work/job_description.hpp"
#include "work/job_surroundings.hpp"
#include "work/queue_scripts.hpp"
#include "work/worker_pulse.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr auto kAnswerPatience = std::chrono::seconds(30);  // it may be long
constexpr auto kClaimEvery = milliseconds(1000);
constexpr auto kWait = milliseconds(200);  // for a unit, before looking whether one was abandoned

struct TakenUnit {
  uint64_t number = 0;
  UnitMessage message;
};

// Of {id, {field, value}}.
std::optional<TakenUnit> taken_unit(const RedisReply& entry) {
  if (entry.items.size() < 2 || entry.items[1].items.size() < 2) return std::nullopt;
  std::optional<UnitMessage> message = unpack_unit(entry.items[1].items[1].text);
  if (!message) return std::nullopt;
  return TakenUnit{std::strtoull(entry.items[0].text.c_str(), nullptr, 10), std::move(*message)};
}

// Threads that the settings do not name: from this id on. Of an execution without records nobody knows.
bool uses_thread_from(TraceView trace, size_t first) {
  if (trace.is_brief()) return true;
  const auto is_new = [first](const Step& step) { return index_of(step.thread) >= first; };
  return std::ranges::any_of(trace.steps(), is_new) || std::ranges::any_of(trace.pending(), is_new);
}

bool differs_in_threads_only(JobSettings a, JobSettings b) {
  for (JobSettings* settings : {&a, &b}) {
    settings->threads.clear();
    settings->native_loops.clear();
    settings->search.clear();
  }
  return pack(a) == pack(b);
}

class Session {
 public:
  Session(const SessionOptions& options)
      : options_(options),
        keys_(options.address, options.job),
        worker_(machine_name() + "/" + std::to_string(::getpid()) + "-" + random_id().substr(0, 6)),
        pulse_(options.address, options.job, worker_) {}

  SessionEnd run() {
    if (!reconnect()) return {};
    const auto definition = redis_->command({"GET", keys_.definition()});
    if (!definition || definition->kind != RedisReply::Text) return {};  // it has just ended
    const std::optional<Job> job = unpack_job(definition->text);
    if (!job || job->version != LOCKSTEP_VERSION)
      return {true, "it was queued by another version of Lockstep (" + (job ? job->version : "unknown") +
                        "; this is " LOCKSTEP_VERSION ")"};
    FileCache cache(*redis_, options_.address, options_.job);
    Result<TargetOptions> prepared = surroundings_.prepare(*job, cache, [this] { return must_leave(); });
    if (must_leave() || redis_->is_lost()) return {};
    if (!prepared) return refuse(prepared.error().message);
    prepared_ = std::move(*prepared);
    prepared_.instrumentation = std::make_shared<InstrumentationCache>();
    prepared_.stop = [this] { return must_leave() || pulse_.has_lost_unit(); };
    if (!use_settings(current_settings())) return refuse(why_);
    while (!must_leave())
      if (std::optional<TakenUnit> unit = take())
        if (!work_on(*unit)) return refuse(why_);
    if (pulse_.is_refused()) return {true, "an execution differed from the same one at the coordinator"};
    return {};
  }

 private:
  bool must_leave() const { return pulse_.is_over() || pulse_.is_refused() || options_.interrupted(); }

  SessionEnd refuse(const std::string& why) {
    if (must_leave() || why.empty()) return {};
    AnswerMessage answer;
    answer.kind = AnswerMessage::Refused;
    answer.worker = worker_;
    answer.machine = machine_name();
    answer.text = why;
    if (reconnect()) redis_->command({"XADD", keys_.answers(), "*", "answer", pack(answer)});
    return {true, why};
  }

  // Until Redis can be reached. False: there is no reason to wait any longer.
  bool reconnect() {
    while (!redis_ || redis_->is_lost()) {
      auto opened = RedisConnection::open(options_.address);
      if (opened) {
        redis_ = std::move(*opened);
        return true;
      }
      if (must_leave()) return false;
      std::this_thread::sleep_for(milliseconds(100));
    }
    return true;
  }

  // --- units ---

  std::optional<TakenUnit> take() {
    if (!reconnect()) return std::nullopt;
    // There may always be new ones.
    if (Clock::now() - claimed_ > kClaimEvery)
      if (std::optional<TakenUnit> abandoned = claim()) return abandoned;
    const auto reply = redis_->command({"XREADGROUP", "GROUP", kGroup, worker_, "COUNT", "1", "BLOCK",
                                        std::to_string(kWait.count()), "STREAMS", keys_.units(), ">"});
    if (reply && reply->kind == RedisReply::List && !reply->items.empty() && reply->items[0].items.size() > 1 &&
        !reply->items[0].items[1].items.empty())
      return taken_unit(reply->items[0].items[1].items[0]);
    if (reply && reply->kind == RedisReply::Problem) std::this_thread::sleep_for(milliseconds(50));  // not there yet
    return claim();
  }
  // One whose worker is gone.
  std::optional<TakenUnit> claim() {
    claimed_ = Clock::now();
    const auto claimed = redis_->command({"EVAL", kClaimUnit, "1", keys_.units(), kGroup, worker_,
                                          std::to_string(kSilenceMilliseconds), std::to_string(kMostDeliveries)});
    if (claimed && claimed->kind == RedisReply::List && !claimed->items.empty()) return taken_unit(claimed->items[0]);
    return std::nullopt;
  }

  // False: this worker is of no use, see why_.
  bool work_on(const TakenUnit& unit) {
    pulse_.begin_unit(unit.number);
    const Clock::time_point begin = Clock::now();
    // Later settings do as well: but for more threads, a change makes all units before it void.
    if (unit.message.settings > settings_number_ && !use_settings(unit.message.settings)) return false;
    AnswerMessage answer;
    uint64_t executions = unit.message.plans.size();
    if (!unit.message.order.empty()) {
      if (!explore(unit.message.order, answer, executions)) return false;
    } else if (target_) {
      execute(unit.message.plans, answer);
    }
    const bool is_whole = unit.message.order.empty() ? answer.traces.size() == executions : !answer.result.empty();
    if (!is_whole) {
      pulse_.end_unit(0);
      if (must_leave()) give_back(unit.number);
      return true;  // it has been given to another meanwhile, or will be
    }
    answer.unit = unit.number;
    answer.microseconds =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
    const size_t threads = target_->threads().size();
    const auto has_new = [&](const Trace& trace) { return uses_thread_from(trace, known_threads_); };
    if (threads > known_threads_ && std::ranges::any_of(answer.traces, has_new)) {
      answer.kind = AnswerMessage::NewThreads;  // their ids are to be those that the coordinator gives them
      answer.traces.clear();
      answer.threads = target_->threads();
    }
    send(answer);
    pulse_.end_unit(executions);
    options_.counted(pulse_.executions());
    return true;
  }

  // False: this worker is of no use, see why_.
  bool explore(const std::string& order, AnswerMessage& answer, uint64_t& executions) {
    const std::optional<CrewOrder> unpacked = unpack_order(order);
    if (settings_.search.empty()) return true;  // a unit of long ago
    if (!service_ || !unpacked) {
      why_ = "its search is damaged";
      return false;
    }
    // Threads have the numbers that the coordinator gave them, and no others.
    if (target_ && !(knows_threads(unpacked->threads) && target_->threads().size() == unpacked->threads.size()))
      target_.reset();
    if (!target_) {
      settings_.threads = unpacked->threads;
      known_threads_ = settings_.threads.size();
      if (!start(settings_)) return false;
    }
    if (!target_) return true;
    std::optional<UnitService::Answer> done = service_->explore(*unpacked, *target_);
    if (!done) return true;
    answer.result = std::move(done->bytes);
    executions = done->executions;
    return true;
  }

  void execute(const std::vector<Plan>& plans, AnswerMessage& answer) {
    const uint64_t resumed = target_->resumed();
    size_t submitted = 0;
    while (answer.traces.size() < plans.size()) {
      while (submitted < plans.size() && submitted - answer.traces.size() < target_->window())
        target_->submit(plans[submitted++]);
      const std::optional<TraceView> trace = target_->next([this] { return must_leave() || pulse_.has_lost_unit(); });
      if (!trace) break;
      answer.traces.emplace_back(*trace);
      if (trace->outcome() != Outcome::Uncontrolled) continue;
      target_->cancel();  // it has forgotten what came after that
      submitted = answer.traces.size();
    }
    if (answer.traces.size() < plans.size()) target_->cancel();
    answer.facts = target_->noticed();
    answer.libraries = target_->libraries();
    answer.native_loops = target_->native_loops();
    answer.resumed = target_->resumed() - resumed;
  }

  // The unit is ours until it is answered, however long Redis is gone or has no room.
  void send(AnswerMessage& answer) {
    answer.worker = worker_;
    answer.machine = machine_name();
    const std::string bytes = pack(answer), id = std::to_string(answer.unit) + "-1";
    while (!must_leave() && reconnect()) {
      const auto sent = redis_->command({"EVAL", kFinishUnit, "2", keys_.units(), keys_.answers(), kGroup, id, bytes},
                                        kAnswerPatience);
      if (sent && sent->kind != RedisReply::Problem) return;
      std::this_thread::sleep_for(milliseconds(100));
    }
  }

  // Others may have it at once.
  void give_back(uint64_t number) {
    if (redis_ && !redis_->is_lost())
      redis_->command({"XCLAIM", keys_.units(), kGroup, worker_, "0", std::to_string(number) + "-1", "IDLE",
                       std::to_string(2 * kSilenceMilliseconds), "JUSTID"},
                      milliseconds(500));
  }

  // --- settings ---

  uint64_t current_settings() {
    while (!must_leave() && reconnect()) {
      const auto number = redis_->command({"GET", keys_.current()});
      if (number && number->kind == RedisReply::Text) return std::strtoull(number->text.c_str(), nullptr, 10);
      std::this_thread::sleep_for(milliseconds(20));
    }
    return 0;
  }

  // Starts the program with them. True: it does here what it does at the coordinator, or nobody wants to know any more.
  bool use_settings(uint64_t number) {
    if (must_leave() || !reconnect()) return true;
    const auto bytes = redis_->command({"GET", keys_.settings(number)});
    if (!bytes || bytes->kind != RedisReply::Text) return true;  // a unit of long ago
    std::optional<JobSettings> settings = unpack_settings(bytes->text);
    if (!settings) {
      why_ = "its settings are damaged";
      return false;
    }
    settings_number_ = number;
    const bool goes_on = target_ && differs_in_threads_only(settings_, *settings) && knows_threads(settings->threads);
    settings_ = std::move(*settings);
    known_threads_ = settings_.threads.size();
    service_ = settings_.search.empty() ? nullptr : UnitService::make(settings_.search);
    if (goes_on) {
      target_->adopt_loops(settings_.native_loops);
      return true;
    }
    target_.reset();
    return start(settings_);
  }
  // By the ids that the coordinator gave them.
  bool knows_threads(const std::vector<ThreadTable::Entry>& threads) {
    target_->adopt_threads(threads);
    const std::vector<ThreadTable::Entry> own = target_->threads();
    const auto same = [](const ThreadTable::Entry& a, const ThreadTable::Entry& b) {
      return a.parent == b.parent && a.child == b.child;
    };
    return own.size() >= threads.size() && std::equal(threads.begin(), threads.end(), own.begin(), same);
  }

  bool start(const JobSettings& settings) {
    TargetOptions options = prepared_;
    options.promoted = settings.promoted;
    options.spurious = settings.spurious;
    options.checkpoints = settings.checkpoints;
    options.native_loops = settings.native_loops;
    options.threads = settings.threads;
    Result<std::unique_ptr<Target>> target = options_.start(options);
    if (!target) {
      if (must_leave()) return true;
      why_ = target.error().message;
      return false;
    }
    if (!settings.trusted.empty()) (*target)->trust(settings.trusted);
    if (!settings.preemptible.empty()) (*target)->preempt_in(settings.preemptible);
    const std::vector<TraceHash> hashes = run_controls(**target);
    if (must_leave() || pulse_.has_lost_unit()) {
      settings_number_ = 0;
      return true;
    }
    for (size_t i = 0; i < settings.controls.size(); ++i) {
      const Control& control = settings.controls[i];
      if (i < hashes.size() && hashes[i] == TraceHash{control.hash[0], control.hash[1]}) continue;
      why_ = "the program does something else here than where the exploration was started (control execution " +
             std::to_string(i + 1) + " of " + std::to_string(settings.controls.size()) +
             " differs): another kernel, processor, C library or file";
      return false;
    }
    target_ = std::move(*target);
    return true;
  }

  const SessionOptions& options_;
  const JobKeys keys_;
  const std::string worker_;
  WorkerPulse pulse_;
  std::unique_ptr<RedisConnection> redis_;
  JobSurroundings surroundings_;
  TargetOptions prepared_;
  std::unique_ptr<Target> target_;        // null: not with the settings there are now
  std::unique_ptr<UnitService> service_;  // null: the settings name no search that can be divided
  JobSettings settings_;
  uint64_t settings_number_ = 0;
  size_t known_threads_ = 0;
  Clock::time_point claimed_{};
  std::string why_;
};

}  // namespace

SessionEnd run_session(const SessionOptions& options) { return Session(options).run(); }

}  // namespace lockstep
