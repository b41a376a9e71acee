#include "crew/local_crew.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <utility>

#include "crew/crew_messages.hpp"
#include "crew/unit_service.hpp"

namespace lockstep {
namespace {

constexpr unsigned kAttempts = 3;   // that a unit may take its worker with it
constexpr unsigned kMostEnds = 16;  // of workers, one after the other without any result: the program cannot be started
constexpr int kPoll = 50;           // milliseconds between looks at clocks and signals

// One page that all workers see.
class HurryFlag {
 public:
  HurryFlag() {
    void* page = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) flag_ = new (page) std::atomic<bool>(false);
  }
  ~HurryFlag() {
    if (flag_) ::munmap(flag_, sizeof *flag_);
  }
  HurryFlag(const HurryFlag&) = delete;
  bool good() const { return flag_ != nullptr; }
  void raise() { flag_->store(true, std::memory_order_relaxed); }
  bool is_raised() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::atomic<bool>* flag_ = nullptr;
};

// What a worker does until its coordinator is gone.
void serve(int socket, const CrewOptions& options, const HurryFlag& hurry) {
  std::unique_ptr<Target> target;
  uint64_t resumed = 0;
  for (std::string message; receive_message(socket, message);) {
    const std::optional<CrewOrder> order = unpack_order(message);
    if (!order) return;
    if (!target) {
      target = options.start_target(order->threads);
      if (!target) return;
    }
    target->adopt_threads(order->threads);
    const std::unique_ptr<Search> search = options.make_search();
    const std::optional<UnitResult> result =
        explore_order(*order, *search, *target, options.settings, resumed, [&] { return hurry.is_raised(); });
    if (!result) return;
    StateWriter out;
    put_result(out, *result);
    if (!send_message(socket, out.bytes())) return;
  }
}

class LocalCrew final : public Crew {
 public:
  LocalCrew(const CrewOptions& options, Target& target) : options_(options), target_(target) {
    workers_.resize(options.workers);
  }
  ~LocalCrew() override {
    for (Worker& worker : workers_) end(worker);
  }

  bool start() {
    if (!hurry_.good()) return false;
    for (Worker& worker : workers_)
      if (!start(worker)) return false;
    return true;
  }

  bool has_room() const override { return !failed_ && under_way() < workers_.size(); }
  size_t under_way() const override {
    size_t count = 0;
    for (const Worker& worker : workers_) count += worker.unit.has_value();
    return count;
  }
  bool failed() const override { return failed_; }
  void hurry() override { hurry_.raise(); }

  void submit(const Unit& unit) override {
    for (Worker& worker : workers_)
      if (!worker.unit) return give(worker, unit);
  }

  std::optional<UnitResult> next(const std::function<bool()>& interrupted) override {
    while (!failed_ && under_way() > 0) {
      for (Worker& worker : workers_) {
        if (!worker.unit) continue;
        const bool open = receive_available(worker.socket, worker.buffer);
        if (const std::optional<std::string> message = take_message(worker.buffer)) {
          StateReader in(*message);
          UnitResult result = get_result(in);
          if (in.good() && result.number == worker.unit->number) {
            attempts_.erase(result.number);
            ends_ = 0;
            worker.unit.reset();
            return result;
          }
        }
        if (!open)
          if (std::optional<UnitResult> given_up = replace(worker)) return given_up;
      }
      if (interrupted && interrupted()) return std::nullopt;
      wait();
    }
    return std::nullopt;
  }

  bool accept(const UnitResult& result, bool is_first) override {
    const std::optional<ProgramNews> news = unpack_news(result.target);
    if (!news) return false;
    if (take_over(*news, is_first, target_)) return true;
    for (Worker& worker : workers_) {  // it knows threads by the wrong numbers from now on
      if (worker.last != result.number) continue;
      end(worker);
      failed_ |= !start(worker);
    }
    return false;
  }

 private:
  struct Worker {
    pid_t process = -1;
    int socket = -1;
    std::optional<Unit> unit;
    uint64_t last = 0;  // number of its last unit
    std::string buffer;
  };

  bool start(Worker& worker) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const pid_t coordinator = ::getpid();
    worker.process = ::fork();
    if (worker.process == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != coordinator) ::_exit(1);
      for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);  // they are for the coordinator
      ::close(ends[0]);
      for (const Worker& other : workers_)
        if (other.socket >= 0) ::close(other.socket);
      if (options_.begin) options_.begin();
      serve(ends[1], options_, hurry_);
      ::_exit(0);
    }
    ::close(ends[1]);
    if (worker.process < 0) {
      ::close(ends[0]);
      return false;
    }
    worker.socket = ends[0];
    worker.buffer.clear();
    return true;
  }

  // Its program goes with it.
  void end(Worker& worker) {
    if (worker.process > 0) {
      ::kill(worker.process, SIGKILL);
      ::waitpid(worker.process, nullptr, 0);
    }
    if (worker.socket >= 0) ::close(worker.socket);
    worker.process = worker.socket = -1;
  }

  std::optional<UnitResult> replace(Worker& worker) {
    end(worker);
    const Unit unit = std::move(*worker.unit);
    worker.unit.reset();
    failed_ = failed_ || ++ends_ >= kMostEnds || !start(worker);
    if (failed_) return std::nullopt;
    if (++attempts_[unit.number] >= kAttempts) return UnitResult{.number = unit.number, .given_up = true};
    give(worker, unit);
    return std::nullopt;
  }

  void give(Worker& worker, const Unit& unit) {
    worker.unit = unit;
    worker.last = unit.number;
    (void)send_message(worker.socket, pack(CrewOrder{target_.threads(), unit}));  // next() notices what went wrong
  }

  void wait() {
    std::vector<pollfd> sockets;
    for (const Worker& worker : workers_)
      if (worker.unit) sockets.push_back({worker.socket, POLLIN, 0});
    (void)::poll(sockets.data(), sockets.size(), kPoll);
  }

  const CrewOptions options_;
  Target& target_;
  HurryFlag hurry_;
  std::vector<Worker> workers_;
  std::map<uint64_t, unsigned> attempts_;  // by unit, that ended with the worker's end
  unsigned ends_ = 0;                      // of workers since the last result
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<Crew> start_local_crew(const CrewOptions& options, Target& target) {
  auto crew = std::make_unique<LocalCrew>(options, target);
  if (!crew->start()) return nullptr;
  return crew;
}

}  // namespace lockstep
