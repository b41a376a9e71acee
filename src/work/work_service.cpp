#include "work/work_service.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "work/messages.hpp"
#include "work/queue_keys.hpp"
#include "work/redis.hpp"
#include "work/worker_session.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLookForJobs = std::chrono::milliseconds(50);
constexpr auto kPatienceToEnd = std::chrono::milliseconds(2000);

std::atomic<bool> session_ends{false};  // in a session's process
void end_session(int) { session_ends = true; }

// What a session says to the service; in memory that both see.
struct SessionReport {
  std::atomic<uint64_t> executions;
  std::atomic<uint32_t> refused;
  char why[1024];
};

struct Slot {
  pid_t process = -1;
  std::string job;
  SessionReport* report = nullptr;
};

struct Served {  // an exploration
  Clock::time_point began = Clock::now();
  uint64_t executions = 0;  // of sessions that ended
  bool is_refused = false;
};

class Service {
 public:
  Service(const WorkOptions& options, WorkListener& listener, std::unique_ptr<RedisConnection> redis)
      : options_(options), keys_(options.address), listener_(listener), redis_(std::move(redis)) {
    slots_.resize(options.workers);
    void* memory = ::mmap(nullptr, sizeof(SessionReport) * slots_.size(), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < slots_.size(); ++i)
      slots_[i].report = new (static_cast<SessionReport*>(memory) + i) SessionReport{};
  }

  void run() {
    while (!listener_.interrupted()) {
      const std::set<std::string> jobs = jobs_under_way();
      reap();
      end_served(jobs);
      fill_slots(jobs);
      std::this_thread::sleep_for(kLookForJobs);
    }
    stop_sessions();
    end_served({});
  }

 private:
  // Those whose coordinator lives.
  std::set<std::string> jobs_under_way() {
    if (!redis_ || redis_->is_lost()) reconnect();
    if (!redis_) return last_jobs_;
    std::set<std::string> jobs;
    const auto all = redis_->command({"SMEMBERS", keys_.jobs()});
    if (!all) return lost();
    for (const RedisReply& job : all->items) {
      const JobKeys keys(options_.address, job.text);
      const auto alive = redis_->command({"EXISTS", keys.alive()});
      if (!alive) return lost();
      if (alive->integer == 1) jobs.insert(job.text);
      const auto definition = redis_->command({"EXISTS", keys.definition()});
      if (definition && definition->integer == 0) redis_->command({"SREM", keys_.jobs(), job.text});
    }
    return last_jobs_ = jobs;
  }
  std::set<std::string> lost() {
    listener_.lost_redis(redis_->problem());
    redis_.reset();
    return last_jobs_;
  }
  void reconnect() {
    auto opened = RedisConnection::open(options_.address);
    if (!opened) return;
    redis_ = std::move(*opened);
    listener_.found_redis();
  }

  void reap() {
    for (Slot& slot : slots_) {
      if (slot.process < 0 || ::waitpid(slot.process, nullptr, WNOHANG) == 0) continue;
      slot.process = -1;
      Served& served = served_[slot.job];
      served.executions += slot.report->executions;
      if (slot.report->refused && !served.is_refused) {
        served.is_refused = true;
        listener_.refused(slot.job, slot.report->why);
      }
    }
  }

  unsigned sessions_of(const std::string& job) const {
    return static_cast<unsigned>(
        std::ranges::count_if(slots_, [&](const Slot& slot) { return slot.process > 0 && slot.job == job; }));
  }

  // Explorations that are over, once all their sessions have left.
  void end_served(const std::set<std::string>& jobs) {
    for (auto served = served_.begin(); served != served_.end();) {
      if (jobs.contains(served->first) || sessions_of(served->first) > 0) {
        ++served;
        continue;
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - served->second.began).count();
      if (!served->second.is_refused) listener_.left(served->first, served->second.executions, seconds);
      served = served_.erase(served);
    }
  }

  // A free worker joins the exploration that has the fewest of ours.
  void fill_slots(const std::set<std::string>& jobs) {
    for (Slot& slot : slots_) {
      if (slot.process > 0) continue;
      const std::string* best = nullptr;
      for (const std::string& job : jobs) {
        if (const auto served = served_.find(job); served != served_.end() && served->second.is_refused) continue;
        if (!best || sessions_of(job) < sessions_of(*best)) best = &job;
      }
      if (best && introduce(*best)) start(slot, *best);
    }
  }

  bool introduce(const std::string& job) {
    if (served_.contains(job)) return true;
    const auto definition =
        redis_ ? redis_->command({"GET", JobKeys(options_.address, job).definition()}) : std::nullopt;
    if (!definition || definition->kind != RedisReply::Text) return false;
    const std::optional<Job> description = unpack_job(definition->text);
    std::string command = "a program";
    if (description) {
      command.clear();
      for (const std::string& word : description->target.command) command += (command.empty() ? "" : " ") + word;
    }
    listener_.joined(job, command, description ? description->machine : "");
    served_[job];
    return true;
  }

  void start(Slot& slot, const std::string& job) {
    slot.job = job;
    slot.report->executions = 0;
    slot.report->refused = 0;
    const pid_t service = ::getpid();
    slot.process = ::fork();
    if (slot.process != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != service) ::_exit(0);
    ::setpgid(0, 0);  // Ctrl-C is for the service
    std::signal(SIGTERM, end_session);
    std::signal(SIGINT, SIG_IGN);
    serve(job, *slot.report);
    ::_exit(0);
  }

  void serve(const std::string& job, SessionReport& report) const {
    const SessionOptions session{options_.address, job, options_.start, [] { return session_ends.load(); },
                                 [&report](uint64_t executions) { report.executions = executions; }};
    const SessionEnd end = run_session(session);
    if (!end.refused) return;
    end.why.copy(report.why, sizeof report.why - 1);
    report.refused = 1;
  }

  void stop_sessions() {
    for (const Slot& slot : slots_)
      if (slot.process > 0) ::kill(slot.process, SIGTERM);
    const Clock::time_point deadline = Clock::now() + kPatienceToEnd;
    const auto runs = [](const Slot& slot) { return slot.process > 0; };
    for (reap(); std::ranges::any_of(slots_, runs) && Clock::now() < deadline; reap())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const Slot& slot : slots_)
      if (slot.process > 0) ::kill(slot.process, SIGKILL);
    while (std::ranges::any_of(slots_, runs)) reap();
  }

  const WorkOptions& options_;
  const QueueKeys keys_;
  WorkListener& listener_;
  std::unique_ptr<RedisConnection> redis_;  // null: gone
  std::vector<Slot> slots_;
  std::map<std::string, Served> served_;
  std::set<std::string> last_jobs_;
};

}  // namespace

std::optional<Error> serve_queue(const WorkOptions& options, WorkListener& listener) {
  Result<std::unique_ptr<RedisConnection>> redis = RedisConnection::open(options.address);
  if (!redis) return redis.error();
  Service(options, listener, std::move(*redis)).run();
  return std::nullopt;
}

}  // namespace lockstep
