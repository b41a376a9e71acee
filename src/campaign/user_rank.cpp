// Runs a user's rank in a forked process and exchanges messages with it.
#include "campaign/user_rank.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstring>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>

#include "lockstep/rank.h"
#include "model/operation.hpp"
#include "model/schedule.hpp"

namespace lockstep {
namespace {

constexpr timeval kPatience{10, 0};
using RankFunction = decltype(&lockstep_rank);

struct Request {
  uint32_t steps, alternatives;
};

bool send_bytes(int socket, const void* bytes, size_t size) {
  for (const char* p = static_cast<const char*>(bytes); size > 0;) {
    const ssize_t sent = send(socket, p, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    p += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}
bool receive_bytes(int socket, void* bytes, size_t size) {
  return size == 0 || recv(socket, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}
template <class T>
bool send_all(int socket, const std::vector<T>& items) {
  return send_bytes(socket, items.data(), items.size() * sizeof(T));
}
template <class T>
bool receive_all(int socket, std::vector<T>& items) {
  return receive_bytes(socket, items.data(), items.size() * sizeof(T));
}

// The process of a rank. It is forked without exec, so the names of operations have the same addresses.
[[noreturn]] void serve(int socket, const std::string& path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The search decides when this process ends.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto rank = library ? reinterpret_cast<RankFunction>(dlsym(library, "lockstep_rank")) : nullptr;
  std::string problem = library ? "it has no function lockstep_rank" : dlerror();
  if (rank) problem.clear();
  const auto length = static_cast<uint32_t>(problem.size());
  send_bytes(socket, &length, sizeof length);
  send_bytes(socket, problem.data(), problem.size());
  std::vector<lockstep_step> steps;
  std::vector<lockstep_alternative> alternatives;
  std::vector<uint64_t> ranks;
  for (Request request{}; rank && receive_bytes(socket, &request, sizeof request);) {
    steps.resize(request.steps);
    alternatives.resize(request.alternatives);
    ranks.clear();
    if (!receive_all(socket, steps) || !receive_all(socket, alternatives)) break;
    for (const lockstep_alternative& a : alternatives) ranks.push_back(rank(steps.data(), request.steps, &a));
    if (!send_all(socket, ranks)) break;
  }
  _exit(0);
}

class RankProcess {
 public:
  explicit RankProcess(const std::string& path) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) serve(ends[1], path);
    close(ends[1]);
    socket_ = ends[0];
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  }
  ~RankProcess() { end(); }
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  // What is wrong with the shared object; empty: nothing.
  std::string problem() {
    uint32_t length = 0;
    if (!receive_bytes(socket_, &length, sizeof length)) return "it " + end();
    std::string text(length, ' ');
    receive_bytes(socket_, text.data(), length);
    return text;
  }

  bool rank(const std::vector<lockstep_step>& steps, const std::vector<lockstep_alternative>& alternatives,
            std::vector<uint64_t>& ranks) {
    const Request request{static_cast<uint32_t>(steps.size()), static_cast<uint32_t>(alternatives.size())};
    ranks.resize(alternatives.size());
    return send_bytes(socket_, &request, sizeof request) && send_all(socket_, steps) &&
           send_all(socket_, alternatives) && receive_all(socket_, ranks);
  }

  // Ends the process and returns how it ended: "crashed (Segmentation fault)".
  std::string end() {
    if (pid_ <= 0) return "could not be started";
    // A process that ends closes its socket before it can be waited for.
    pollfd end{socket_, 0, 0};
    const bool is_ending = poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0;
    close(socket_);
    int status = 0;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(kPatience.tv_sec);
    bool ended_itself = waitpid(pid_, &status, WNOHANG) == pid_;
    while (is_ending && !ended_itself && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ended_itself = waitpid(pid_, &status, WNOHANG) == pid_;
    }
    if (!ended_itself) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status, 0);
    }
    pid_ = -1;
    if (ended_itself && WIFSIGNALED(status)) return fmt::format("crashed ({})", strsignal(WTERMSIG(status)));
    return ended_itself ? "ended its process" : "did not return within 10 s";
  }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

class UserRank final : public Rank {
 public:
  UserRank(std::string path, std::unique_ptr<RankProcess> process, std::shared_ptr<RankFailures> failures)
      : path_(std::move(path)), process_(std::move(process)), failures_(std::move(failures)) {}

  void look(const ExecutionView& execution) override {
    ranks_.clear();
    if (!process_) return;
    describe(execution.trace());
    std::vector<uint64_t> ranks;
    if (!process_->rank(steps_, alternatives_, ranks)) return give_up();
    for (size_t i = 0; i < ranks.size(); ++i) ranks_[key(alternatives_[i].step, alternatives_[i].thread)] = ranks[i];
  }

  uint64_t of(const ExecutionView&, const Alternative& a) override {
    const auto found = ranks_.find(key(a.step, a.value));
    return found == ranks_.end() ? 0 : found->second;
  }

 private:
  static uint64_t key(uint32_t step, uint16_t value) { return uint64_t{step} << 16 | value; }

  void describe(TraceView trace) {
    steps_.clear();
    alternatives_.clear();
    for (ScheduleCursor at(trace); !at.done(); at.advance()) {
      const Step& step = at.step();
      steps_.push_back({static_cast<uint64_t>(step.object), name_of(step.kind), static_cast<uint16_t>(step.thread),
                        static_cast<uint16_t>(!step.is_note())});
      if (step.is_note()) continue;
      if (step.is_choice()) {
        for (uint16_t value = 0; value < step.alternatives(); ++value)
          if (value != step.taken()) alternatives_.push_back({at.index(), at.preemptions(), value, 1});
        continue;
      }
      at.enabled().for_each([&](ThreadId t) {
        if (t != step.thread)
          alternatives_.push_back({at.index(), at.preemptions() + at.cost(t), static_cast<uint16_t>(t), 0});
      });
    }
  }

  void give_up() {
    failures_->push_back(fmt::format("rank {} {}; the search goes on without it", path_, process_->end()));
    process_.reset();
  }

  std::string path_;
  std::unique_ptr<RankProcess> process_;  // null: the rank has failed
  std::shared_ptr<RankFailures> failures_;
  std::vector<lockstep_step> steps_;
  std::vector<lockstep_alternative> alternatives_;
  std::unordered_map<uint64_t, uint64_t> ranks_;  // alternatives of the last execution
};

}  // namespace

Result<std::unique_ptr<Rank>> load_user_rank(const std::string& path, std::shared_ptr<RankFailures> failures) {
  auto process = std::make_unique<RankProcess>(path);
  if (const std::string problem = process->problem(); !problem.empty())
    return Error{ExitCode::Usage, fmt::format("cannot use rank {}: {}", path, problem)};
  return std::unique_ptr<Rank>(std::make_unique<UserRank>(path, std::move(process), std::move(failures)));
}

}  // namespace lockstep
