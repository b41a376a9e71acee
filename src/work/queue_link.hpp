// The coordinator's side of a queue: one exploration as it stands in Redis. Says when Redis is gone, and comes back.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/executor.hpp"
#include "work/messages.hpp"
#include "work/queue_keys.hpp"
#include "work/redis.hpp"

namespace lockstep {

class QueueLink {
 public:
  // Puts the exploration into the queue.
  static Result<std::unique_ptr<QueueLink>> open(const QueueAddress& address, const std::string& job_id,
                                                 const Job& job);
  ~QueueLink();  // takes it out again
  QueueLink(const QueueLink&) = delete;

  bool is_up() const { return redis_ && !redis_->is_lost(); }
  const std::string& problem() const { return problem_; }
  // Tries to reach Redis again, at most a few times a second. True: everything but the units is there again.
  bool restore();

  void publish(uint64_t number, const JobSettings& settings);

  void add_unit(uint64_t number, const UnitMessage& unit);
  void withdraw(uint64_t number);
  void forget_units();  // all of them
  struct UnitState {
    enum Where : uint8_t { Gone, Waiting, Taken } where = Gone;
    std::chrono::milliseconds silence{0};  // of who took it
    int deliveries = 0;
  };
  UnitState look_at(uint64_t number);

  // Waits so long for the first. What is no answer is dropped.
  std::vector<AnswerMessage> read_answers(std::chrono::milliseconds patience);

  void refuse(const std::string& worker);
  // Those who gave a sign of life lately, by name of the machine; looks at most once a second.
  const std::vector<MachineStatus>& machines();
  unsigned workers() const { return workers_; }

 private:
  QueueLink(const QueueAddress& address, const std::string& job_id, const Job& job)
      : address_(address), job_id_(job_id), keys_(address, job_id), definition_(pack(job)) {}
  bool publish_job();
  std::optional<RedisReply> command(const RedisConnection::Words& words,
                                    std::chrono::milliseconds patience = RedisConnection::kPatience);
  void send(const RedisConnection::Words& words);
  void note_problem();

  const QueueAddress address_;
  const std::string job_id_;
  const JobKeys keys_;
  const std::string definition_;
  std::unique_ptr<RedisConnection> redis_;
  std::string problem_;
  std::chrono::steady_clock::time_point tried_{}, looked_{};
  std::string last_answer_ = "0-0";
  uint64_t settings_number_ = 0;
  std::string settings_;
  struct Sign {
    uint64_t beat;
    std::chrono::steady_clock::time_point seen;
  };
  std::map<std::string, Sign> signs_;  // by worker
  std::vector<MachineStatus> machines_;
  unsigned workers_ = 0;
};

}  // namespace lockstep
